import type { SetupStep } from './setup-api.ts'

/** What is true of an installation, as far as the checklist asks for it. */
export interface SetupFacts {
  /** Undefined where nobody has named it. */
  readonly firmName: string | undefined
  /** The folder of mails, where there is no mail server. */
  readonly mailFolder: string | null
  /** Of the last test mail; null before the first. */
  readonly mailTested: 'sent' | 'file' | 'failed' | null
  /** What the page to buy an account sells, and how much of it leads to an example address. */
  readonly offers: { readonly isSet: boolean; readonly shown: number; readonly toExample: number }
  readonly hasFirmAccount: boolean
  /** How old the last one is, in ms; null where none is known. */
  readonly backupAge: number | null
  readonly sealsOutside: boolean
  /** Members whose key works. */
  readonly members: number
  readonly trader: { readonly enrolled: boolean; readonly traded: boolean; readonly paid: boolean }
}

/** The checklist of the first week. Dashboard and `proofdesk status` show the same. */
export function setupSteps(facts: SetupFacts): SetupStep[] {
  const { trader } = facts
  return [
    {
      id: 'name',
      title: "The firm's name",
      done: facts.firmName !== undefined,
      says: facts.firmName ?? 'Pages and mails say “Proofdesk”. Set name, logo and colour under System.',
      page: '/admin/system',
    },
    { id: 'mail', title: 'Mail server', page: '/admin/system', ...mailStep(facts) },
    { id: 'offers', title: 'On sale', page: '/admin/programmes', ...offersStep(facts) },
    {
      id: 'account',
      title: 'Account to pay from',
      done: facts.hasFirmAccount,
      says: facts.hasFirmAccount ? 'It is set.' : 'A SEPA file names the account that pays. Set it under System.',
      page: '/admin/system',
    },
    { id: 'backup', title: 'Backup', page: '/admin/system', ...backupStep(facts.backupAge) },
    {
      id: 'seals',
      title: 'Seals outside',
      done: facts.sealsOutside,
      says: facts.sealsOutside
        ? 'They are kept outside the data folder, or witnessed.'
        : 'They lie beside what they prove. Set SEALS_DIR to another disk, or name a witness.',
      page: '/admin/system',
    },
    {
      id: 'staff',
      title: 'A second person',
      done: facts.members > 1,
      says:
        facts.members > 1
          ? `${facts.members} members have access.`
          : 'Only one key opens the portal: whoever loses it locks the firm out.',
      page: '/admin/staff',
    },
    { id: 'trader', title: 'A test trader the whole way', done: trader.enrolled && trader.paid, ...traderStep(trader) },
  ]
}

/** One is made every day; it may come some hours late. As a round of verification, it is overdue after a day and a half. */
const OLDEST_BACKUP = 36 * 60 * 60_000

function backupStep(age: number | null): Pick<SetupStep, 'done' | 'says'> {
  if (age === null)
    return {
      done: false,
      says: 'None was made. Run: npx proofdesk backup FOLDER, on another disk, and every day from then on.',
    }
  const hours = Math.max(0, Math.floor(age / 3_600_000))
  const old =
    hours < 1 ? 'less than an hour' : hours < 48 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day')
  if (age <= OLDEST_BACKUP) return { done: true, says: `The last one is ${old} old.` }
  return {
    done: false,
    says: `The last one is ${old} old: whatever came since would be lost. Run: npx proofdesk backup FOLDER, every day.`,
  }
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

function mailStep({ mailFolder, mailTested }: SetupFacts): Pick<SetupStep, 'done' | 'says'> {
  if (mailFolder !== null)
    return {
      done: false,
      says: `There is none: nobody gets a mail. Each goes into a file in ${mailFolder}. Set SMTP_URL, and send a test.`,
    }
  if (mailTested === 'sent') return { done: true, says: 'The last test mail was taken by the mail server.' }
  return {
    done: false,
    says:
      mailTested === 'failed'
        ? 'It is set, and did not take the last test mail.'
        : 'It is set. Send a test to see that it takes mails.',
  }
}

function offersStep({ offers: { isSet, shown, toExample } }: SetupFacts): Pick<SetupStep, 'done' | 'says'> {
  if (shown === 0) return { done: false, says: 'The page to buy an account sells nothing. Offer a programme.' }
  if (toExample > 0)
    return {
      done: false,
      says: `${toExample} of ${shown} buttons of the page to buy an account lead to an example address. Offer your programmes with their links, or set PURCHASE_URL.`,
    }
  return { done: true, says: isSet ? `${shown} on sale.` : 'The buttons lead where PURCHASE_URL says.' }
}

/** The next part of the way, and where it is done. */
function traderStep({ enrolled, traded, paid }: SetupFacts['trader']): Pick<SetupStep, 'says' | 'page'> {
  if (!enrolled)
    return { says: 'Nobody is enrolled yet. Add a user, and enrol them in a programme.', page: '/admin/users' }
  if (paid) return { says: 'Somebody was enrolled, traded and was paid.', page: '/admin/payouts' }
  if (!traded) return { says: 'Enrolled, not traded yet. Import a statement of their trades.', page: '/admin/imports' }
  return { says: 'Enrolled and traded, not paid yet. Approve and pay a payout.', page: '/admin/payouts' }
}
