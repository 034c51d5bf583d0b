import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { clsx } from 'clsx'
import { platformName } from '@/format/status.ts'
import { AccountStatusBadge, Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { DetailsSection } from '@/ui/details-section.tsx'
import type { UserForm } from '@/features/frame/user-link.tsx'
import { useState } from 'react'
import { accountLabel, accountName } from '@/format/account-name.ts'
import { lazyPart } from '@/lazy-page.ts'

const LedgerDialog = lazyPart(() => import('./ledger-dialog.tsx').then(({ LedgerDialog }) => LedgerDialog))

interface UserAccountsProps {
  /** With the shown account as `tradingAccount`. */
  readonly user: UserDetails
  /** The id of the current account. */
  readonly current: string | undefined
  readonly onChoose: (account: string) => void
  readonly onEdit: (form: UserForm) => void
}

/** All accounts of a user, the newest first: one of them is shown below, and may be closed. Another may be opened. */
export function UserAccounts({ user, current, onChoose, onEdit }: UserAccountsProps) {
  const mayChange = useMay('change-accounts')
  const { tradingAccount: shown, tradingAccounts } = user
  const [ledgerOf, setLedgerOf] = useState<string>()
  const buttons = (
    <span className="flex flex-wrap justify-end gap-1">
      {shown && (
        <Button look="quiet" className="h-8! px-2! text-13!" onClick={() => setLedgerOf(shown.id)}>
          Ledger
        </Button>
      )}
      {mayChange && shown?.open && (
        <>
          <Button look="quiet" className="h-8! px-2! text-13!" onClick={() => onEdit('book-entry')}>
            Book Entry
          </Button>
          <Button look="quiet" className="h-8! px-2! text-13!" onClick={() => onEdit('close-account')}>
            Close Account
          </Button>
        </>
      )}
      {mayChange && (
        <Button look="quiet" className="h-8! px-2! text-13!" onClick={() => onEdit('open-account')}>
          Open Account
        </Button>
      )}
    </span>
  )
  return (
    <DetailsSection title="Accounts" buttons={buttons} className="mb-6">
      <ul aria-label="Accounts, newest first" className="mt-1 flex flex-col gap-1">
        {tradingAccounts.map((account) => (
          <li key={account.id}>
            <button
              type="button"
              aria-pressed={account.id === shown?.id}
              onClick={() => onChoose(account.id)}
              className={clsx(
                'flex min-h-9 w-full flex-wrap items-center gap-x-3 gap-y-1 rounded-md px-2 py-1 text-left hover:bg-hover',
                account.id === shown?.id && 'bg-accent-soft hover:bg-accent-soft',
              )}
            >
              <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{accountName(account)}</span>
              {account.platform && <span className="text-muted">{platformName(account.platform)}</span>}
              {/* A passed account keeps its status, and is active no more. */}
              {(account.open || account.status === 'breached') && <AccountStatusBadge status={account.status} />}
              {account.id === current && <Badge>Current</Badge>}
              {!account.open && <Badge>Closed</Badge>}
            </button>
          </li>
        ))}
      </ul>
      {ledgerOf !== undefined && (
        <LedgerDialog account={ledgerOf} name={accountLabel(ledgerOf)} onClose={() => setLedgerOf(undefined)} />
      )}
    </DetailsSection>
  )
}
