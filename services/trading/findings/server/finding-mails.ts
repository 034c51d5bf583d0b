import { accountId } from '#services/framework/ids.ts'
import { accountIn, entryPath } from '#services/framework/mails/mail-context.ts'
import { FIRM, type LabelledValue, type MailContent, moment, oneLine } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import { inDollars } from '#services/rules/money.ts'
import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import type { AccountMailContext } from '#services/trading/accounts/server/account-mails.ts'
import { tradesOfFinding } from '#services/trading/stream/hit-text.ts'
import type { findingDescriptions } from '#services/trading/stream/finding-descriptions.ts'
import type { FindingEvent } from '#services/trading/stream/finding-events.ts'

export const findingMails: Mails<FindingEvent, typeof findingDescriptions, AccountMailContext> = {
  LimitNeared: (event, { page }) => limitNeared({ ...event.data, link: page(entryPath(event)) }),
  HitsNoted: async (event, { page, loadAccount }) => {
    const { at, found, rule } = event.data
    // What is imported of days that are over is no news.
    if (at === null || event.at - at > DAY) return undefined
    const { account, stage } = await loadAccount(accountId.parse(accountIn(event)))
    if (!account.open || !stage) return undefined
    const evidence = found.slice(0, MOST_SAID).map(({ observation }) => observation)
    const said = tradesOfFinding(stage, { rule, evidence }).map(({ what }) => what)
    return hitsNoted({ ...event.data, said, endsAt: stage.timeline.engine.dayEnds, link: page(entryPath(event)) })
  },
}

const DAY = 86_400_000

/** So many trades are described in a mail. */
const MOST_SAID = 5

type HitsNoted = Extract<FindingEvent, { type: 'HitsNoted' }>['data']

interface Noted extends HitsNoted {
  /** What the first of the trades did, in sentences. */
  readonly said: readonly string[]
  /** When the trading day ends, ms since 1970. */
  readonly endsAt: number
  /** The entry in the trader's history. */
  readonly link: string
}

export function hitsNoted({ rule, consequence, found, excluded, said, endsAt, link }: Noted): MailContent {
  const name = ruleKindLabels[rule.kind] ?? rule.kind
  const more = found.length - said.length
  const outcomes: Readonly<Record<typeof consequence, readonly [string, string]>> = {
    pause: [
      `${name}: trading pauses`,
      `Do not trade before the trading day ends, at ${moment(endsAt)}. The account goes on.`,
    ],
    warning: [`${name}: a warning`, 'This is a warning. Nothing else follows from it.'],
    'excludes-profit': [
      `${name}: profit that does not count`,
      `${inDollars(excluded.to)} of your profit do not count for targets and payouts because of this rule. The balance stays as it is.`,
    ],
  }
  const [subject, outcome] = outcomes[consequence]
  return {
    subject,
    body: [
      found.length === 1 ? 'A trade of your account hit a rule.' : `${found.length} trades of your account hit a rule.`,
      { details: [['Rule', name], ...said.map((what): LabelledValue => ['Trade', oneLine(what)])] },
      ...(more > 0 ? [`${more} more are in the table of trades, with what each did.`] : []),
      outcome,
      { action: 'See the entry in your history', link },
    ],
    footer: `You're receiving this email because your ${FIRM} account changed. Settings say which mails you get.`,
  }
}

type Neared = Extract<FindingEvent, { type: 'LimitNeared' }>['data']

/** @param warning `link` is the entry in the trader's history. */
export function limitNeared({ rule, limit, floor, room, link }: Neared & { readonly link: string }): MailContent {
  const name = ruleKindLabels[rule.kind] ?? rule.kind
  const whole: LabelledValue[] = limit === null ? [] : [['Limit', inDollars(limit)]]
  return {
    subject: `${name}: you are close to the limit`,
    body: [
      'A fifth or less of a limit of your account is left. At its floor the limit is reached.',
      { details: [['Rule', name], ...whole, ['Floor', inDollars(floor)], ['Room left', inDollars(room)]] },
      'These are the figures of the last data from your trading platform. Your dashboard shows them as they are now.',
      { action: 'See the entry in your history', link },
    ],
    footer: `You're receiving this email because your ${FIRM} account changed. Settings say which mails you get.`,
  }
}
