import { type AccountFieldName, accountFieldNames, byKind, eachField } from '../../../../../services/api/account-fields.ts'
import type { UserDetails } from '../../../../../services/api/user-schemas.ts'
import { accountStatuses } from '../../../../../services/api/vocabulary.ts'
import type { AccountChange, UserChange } from './user-management-queries.ts'

/** The values of the user forms: texts, as fields have them, and their conversion for the API (specification §7). */

const addressNames = ['country', 'city', 'street', 'houseNumber'] as const

export type UserValues = Record<'fullName' | 'email' | (typeof addressNames)[number], string>

export const newUser: UserValues = { fullName: '', email: '', country: '', city: '', street: '', houseNumber: '' }

/** Of a switch 'true' is shown as Enabled, 'false' as Disabled. */
export type AccountValues = Record<AccountFieldName, string>

/** A new user's account (specification §4, defaults). */
export const newAccount: AccountValues = byKind(accountFieldNames, {
  money: () => '0.00',
  profit: () => '0.00',
  status: () => 'pending',
  switch: () => 'false',
  text: () => '',
  limit: () => '',
  target: () => '',
  secret: () => '',
})

/** A user as the form begins with. */
export function userValuesOf({ fullName, email, country, city, street, houseNumber }: UserDetails): UserValues {
  return { fullName, email, country, city, street, houseNumber }
}

/** An account as the form begins with: what is not set is an empty field. */
export function accountValuesOf(account: UserDetails['tradingAccount']): AccountValues {
  return account ? eachField(accountFieldNames, (name) => String(account[name] ?? '')) : newAccount
}

/** Converts an account's fields for the API. No field is required: an empty amount stays as it is, an empty text is removed. */
export function accountChangeOf({ balance, profitLoss, status, payoutEnabled, ...texts }: Partial<AccountValues>): AccountChange {
  const known = accountStatuses.find((one) => one === status)
  return {
    ...(isGiven(balance) && { balance: balance.trim() }),
    ...(isGiven(profitLoss) && { profitLoss: profitLoss.trim() }),
    ...(known && { status: known }),
    ...(payoutEnabled !== undefined && { payoutEnabled: payoutEnabled === 'true' }),
    ...texts,
  }
}

/** Only what was changed in a form, so that others' changes meanwhile (a balance moves all day) are not undone. */
export function changedOf<Name extends string>(names: readonly Name[], values: Record<Name, string>, before: Record<Name, string>) {
  const changed: Partial<Record<Name, string>> = {}
  for (const name of names) if (values[name] !== before[name]) changed[name] = values[name]
  return changed
}

/** Name and email always (specification §7), unless emptied; of the address what was changed. */
export function userChangeOf({ fullName, email, ...values }: UserValues, before: UserValues): UserChange {
  return { ...(isGiven(fullName) && { fullName }), ...(isGiven(email) && { email }), ...changedOf(addressNames, values, before) }
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}
