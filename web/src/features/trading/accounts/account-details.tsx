import { useState, type ReactNode } from 'react'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { accountMeaning, accountMeanings, accountStatusLabel, platformName } from '@/format/status.ts'
import { AccountStatusBadge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { CopyButton } from '@/ui/copy-button.tsx'
import { MissingInPage } from '@/ui/missing-part.tsx'
import { DecisionStamp } from '@/ui/text.tsx'
import { isEligible, whyNotEligible, whyNotNow } from './payout-words.ts'
import { lazyPart, lazyPartOr } from '@/lazy-page.ts'
import { WhyLink } from './why-link.tsx'

const AccountProgramme = lazyPartOr(
  () => import('@/features/trading/enrolments/account-programme.tsx').then(({ AccountProgramme }) => AccountProgramme),
  MissingInPage,
)
const AlertDialog = lazyPart(() => import('@/ui/dialog.tsx').then(({ AlertDialog }) => AlertDialog))

/** Platform login, the meaning of the status, and payout eligibility (specification §2). */
export function AccountDetails({ account }: { readonly account: OwnAccount }) {
  const { platform, login, masterPassword, server, status, payoutEnabled, stamps } = account
  const [shown, setShown] = useState(false)
  const missing = missingOfOwnLogin(account)
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card title="Trading platform">
        <dl className="flex flex-col gap-3">
          {(platform !== null || account.programme) && (
            <Detail name="Platform">{platform === null ? notAssigned : platformName(platform)}</Detail>
          )}
          <Detail name="Login ID">
            {login === null ? notAssigned : <Copyable text={login} label="Copy the login ID" />}
          </Detail>
          <Detail name="Master Password">
            {masterPassword === null ? (
              notAssigned
            ) : (
              <span className="flex flex-wrap items-center gap-3">
                <span className="font-mono" aria-label="hidden" role="img">
                  ••••••••
                </span>
                <Button look="secondary" onClick={() => setShown(true)}>
                  Show Password
                </Button>
              </span>
            )}
          </Detail>
          <Detail name="Server">
            {server === null ? notAssigned : <Copyable text={server} label="Copy the server" />}
          </Detail>
        </dl>
        <h3 className="mt-6 mb-2 text-14 font-semibold">How to use it</h3>
        <ol className="flex list-decimal flex-col gap-1 pl-5 text-muted">
          <li>Install {metaTrader(platform)}.</li>
          <li>Choose File, then Login to Trade Account.</li>
          <li>
            {missing.length === 0
              ? 'Enter the login ID, the master password and the server shown here.'
              : `Wait for what is not assigned yet: ${missing.join(', ')}. It appears here.`}
          </li>
          <li>Never share your master password. Anyone who has it can trade on your account.</li>
        </ol>
      </Card>
      <Card title="Account status">
        <dl className="flex flex-col gap-3">
          <Detail name="Current Status">
            <span className="flex flex-wrap items-center gap-2">
              <AccountStatusBadge status={status} />
              <DecisionStamp stamp={stamps.status} why={stamps.status?.reason} />
              <WhyLink account={account} about="status" />
            </span>
            <span className="mt-1 block text-13 text-muted">{accountMeaning(status)}</span>
          </Detail>
          <Detail name="Payout Eligibility">
            <span className="flex flex-wrap items-center gap-2">
              <AccountStatusBadge status={payoutEnabled ? 'active' : 'pending'} />
              <DecisionStamp stamp={stamps.payouts} />
            </span>
            <span className="mt-1 block text-13 text-muted">
              {isEligible(account)
                ? ((account.payout && whyNotNow(account.payout)) ?? 'You can request payouts.')
                : whyNotEligible(account)}
            </span>
          </Detail>
        </dl>
        <h3 className="mt-6 mb-2 text-14 font-semibold">What each status means</h3>
        <dl className="flex flex-col gap-2">
          {accountMeanings.map(({ status: one, meaning }) => (
            <div key={one}>
              <dt className="inline font-medium">{accountStatusLabel(one).label}: </dt>
              <dd className="inline text-muted">{meaning}</dd>
            </div>
          ))}
        </dl>
      </Card>
      {account.programme && <AccountProgramme programme={account.programme} phase={account.phase} />}
      {shown && (
        <AlertDialog
          onClose={() => setShown(false)}
          title="Master Password"
          description={
            <>
              <p>For login {login ?? 'ID not assigned yet'}. Never share it.</p>
              <p className="mt-2 flex items-center gap-1 text-ink">
                <span className="min-w-0 font-mono text-16 break-all select-all">{masterPassword}</span>
                <CopyButton text={masterPassword ?? ''} label="Copy the master password" />
              </p>
            </>
          }
        />
      )}
    </div>
  )
}

/** What a trader still lacks to sign in on the platform. Without a programme, an account may do without its name. */
export function missingOfOwnLogin(
  account: Pick<OwnAccount, 'platform' | 'login' | 'masterPassword' | 'server' | 'programme'>,
): string[] {
  return [
    ...(account.platform === null && account.programme ? ['platform'] : []),
    ...(account.login === null ? ['login ID'] : []),
    ...(account.masterPassword === null ? ['master password'] : []),
    ...(account.server === null ? ['server'] : []),
  ]
}

function metaTrader(platform: OwnAccount['platform']): string {
  if (platform === null) return 'MetaTrader 4 or MetaTrader 5'
  return platform === 'mt4' ? 'MetaTrader 4' : 'MetaTrader 5'
}

const notAssigned = <span className="text-muted">Not assigned yet</span>

function Detail({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="grid items-baseline gap-x-4 gap-y-1 sm:grid-cols-[140px_1fr]">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}

function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <span className="min-w-0 font-mono break-all">{text}</span>
      <CopyButton text={text} label={label} />
    </span>
  )
}
