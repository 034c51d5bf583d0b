import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useId } from 'react'
import type { ListedUser } from '#services/trading/traders/trader-api.ts'
import { usersQuery } from '@/features/trading/traders/user-queries.ts'
import { TextInput } from '@/ui/field.tsx'

/** More text narrows them down. */
const MOST_OFFERED = 20

type AccountInputProps = Omit<ComponentProps<typeof TextInput>, 'list' | 'onChange' | 'value'> & {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** An account by its login or its id. Typing a name, an email or a login offers the accounts that the portal knows. */
export function AccountInput({ value, onChange, ...field }: AccountInputProps) {
  const id = useId()
  const found = useQuery(usersQuery({ search: value.trim() || undefined, limit: MOST_OFFERED }))
  return (
    <>
      <TextInput
        {...field}
        value={value}
        list={id}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {found.data?.items.map(({ tradingAccount, fullName, email }) =>
          tradingAccount ? (
            <option key={tradingAccount.id} value={tradingAccount.login ?? tradingAccount.id}>
              {wordsOf({ tradingAccount, fullName, email })}
            </option>
          ) : null,
        )}
      </datalist>
    </>
  )
}

function wordsOf({ fullName, email, tradingAccount }: Pick<ListedUser, 'fullName' | 'email' | 'tradingAccount'>) {
  return [fullName, email, tradingAccount?.server].filter(Boolean).join(', ')
}
