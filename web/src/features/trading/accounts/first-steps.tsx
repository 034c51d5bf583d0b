import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { Card } from '@/ui/card.tsx'
import { TextLink } from '@/ui/link.tsx'
import { SupportContact } from '@/features/frame/support-contact.tsx'

/** Whether there is nothing to trade with yet: neither a login nor a phase. */
export function needsFirstSteps({ login, phase }: Pick<OwnAccount, 'login' | 'phase'>): boolean {
  return login === null && phase === null
}

/** Whether there is an account to trade on that has no login yet. */
export function waitsForLogin({ login, phase, status, open }: Pick<OwnAccount, 'login' | 'phase' | 'status' | 'open'>) {
  return login === null && phase !== null && open && status !== 'breached'
}

/** What comes next after an enrolment. */
export function LoginFollows() {
  return (
    <p className="rounded-lg border border-line bg-card px-4 py-3 text-13">
      <span className="font-semibold">Your login follows.</span> An administrator sets up your account on the trading
      platform. <WhereLoginIs />
    </p>
  )
}

function WhereLoginIs() {
  return (
    <>
      Then its login ID, password and server are in{' '}
      <TextLink to="/" search={{ tab: 'details' }} resetScroll={false}>
        Account Details
      </TextLink>
      .
    </>
  )
}

/** From sign-up to the first trade. */
export function FirstSteps() {
  return (
    <Card title="First steps">
      <ol className="grid list-inside list-decimal gap-4 marker:font-semibold md:grid-cols-3">
        <li>
          <span className="font-semibold">Buy</span>
          <p className="mt-1 text-muted">
            Choose a challenge and a size at <TextLink to="/account-sizes">Buy an Account</TextLink>.
          </p>
        </li>
        <li>
          <span className="font-semibold">Get your login</span>
          <p className="mt-1 text-muted">
            An administrator sets up your account. <WhereLoginIs />
          </p>
        </li>
        <li>
          <span className="font-semibold">Trade</span>
          <p className="mt-1 text-muted">
            Log in to MetaTrader with them. Your balance, limits and results then appear on this page.
          </p>
        </li>
      </ol>
      <p className="mt-4 text-13 text-muted empty:hidden">
        <SupportContact />
      </p>
    </Card>
  )
}
