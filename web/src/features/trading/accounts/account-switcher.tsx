import type { ListedOwnAccount } from '#services/trading/accounts/account-api.ts'
import { formatMoney } from '@/format/money.ts'
import { accountStatusLabel, platformName } from '@/format/status.ts'
import { useChangeAddress } from '@/lists/address.ts'
import { accountLabel } from '@/format/account-name.ts'
import { useChosenAccount } from './chosen-account.ts'

/** These parameters belong to the account that was shown, and mean nothing for another. */
const OF_ONE_ACCOUNT = { at: undefined, compare: undefined, why: undefined, scope: undefined } as const

/** Below the header of a trader with several accounts: which one the pages show. It is in the address. */
export function AccountSwitcher() {
  const { accounts = [], id = '', hasSeveral } = useChosenAccount()
  const change = useChangeAddress()
  if (!hasSeveral) return null
  const isKnown = accounts.some((account) => account.id === id)
  return (
    <section aria-label="Account shown" className="border-b border-line bg-card">
      <label className="mx-auto flex max-w-[1248px] items-center gap-3 px-4 py-2 md:px-6">
        <span className="shrink-0 text-13 text-muted">Account</span>
        <select
          className="h-9 min-w-0 max-w-xl flex-1 truncate rounded-md border border-edge bg-card px-2 text-14 text-ink"
          value={isKnown ? id : ''}
          onChange={({ target }) => void change({ ...OF_ONE_ACCOUNT, account: target.value })}
        >
          {!isKnown && <option value="">Choose an account</option>}
          {accounts.map((account) => (
            <option key={account.id} value={account.id}>
              {describe(account)}
            </option>
          ))}
        </select>
      </label>
    </section>
  )
}

/** 'Account 2 · $100,000.00 · Funded · Active · MT5 · 50123456', without what is not known. */
function describe({ id, size, phase, status, platform, login, open }: ListedOwnAccount): string {
  const standing = open ? accountStatusLabel(status).label : 'Closed'
  const shownSize = size === null ? null : formatMoney(size)
  return [accountLabel(id), shownSize, phase, standing, platform && platformName(platform), login]
    .filter(Boolean)
    .join(' · ')
}
