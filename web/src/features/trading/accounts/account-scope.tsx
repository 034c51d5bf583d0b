import { TextLink } from '@/ui/link.tsx'
import { accountLabel, accountName } from '@/format/account-name.ts'
import { useChosenAccount } from './chosen-account.ts'

/** A list shows rows of the chosen account, or of all accounts. The scope is in the address. */
export type Scope = 'all' | undefined

/** Says which accounts a list covers, and leads to the other choice. Renders nothing for a trader with one account. */
export function AccountScope({ scope }: { readonly scope: Scope }) {
  const { id, accounts, hasSeveral } = useChosenAccount()
  const chosen = accounts?.find((account) => account.id === id)
  if (!hasSeveral || !chosen) return null
  const other: Scope = scope === 'all' ? undefined : 'all'
  return (
    <p className="mb-3 flex flex-wrap gap-x-2 text-13 text-muted">
      <span>{scope === 'all' ? 'All accounts.' : `${accountName(chosen)}.`}</span>
      <TextLink
        to="."
        search={(before: object) => ({ ...before, scope: other, at: undefined, compare: undefined })}
        resetScroll={false}
      >
        {scope === 'all' ? `Only ${accountLabel(chosen.id)}` : 'All accounts'}
      </TextLink>
    </p>
  )
}

/** The column of a list that covers several accounts. */
export const accountColumn = {
  header: 'Account',
  cell: ({ accountId }: { readonly accountId: string }) => <AccountOfRow id={accountId} />,
}

function AccountOfRow({ id }: { readonly id: string }) {
  const account = useChosenAccount().accounts?.find((one) => one.id === id)
  return <span className="[overflow-wrap:anywhere]">{account ? accountName(account) : accountLabel(id)}</span>
}

/** The rows of the chosen account, or of all; undefined while either is not known. */
export function useRowsInScope<Row extends { readonly accountId: string }>(
  rows: readonly Row[] | undefined,
  scope: Scope,
): readonly Row[] | undefined {
  const { id, hasSeveral } = useChosenAccount()
  return scope === 'all' || !hasSeveral ? rows : rows?.filter(({ accountId }) => accountId === id)
}
