import { type AccountFieldName, accountFieldNames, byKind, eachField } from '../../../../../services/api/account-fields.ts'
import type { UserDetails } from '../../../../../services/api/user-schemas.ts'
import { accountStatuses } from '../../../../../services/api/vocabulary.ts'
import type { AccountChange, UserChange } from './user-management-queries.ts'

/** What the forms about a user hold: texts, as fields have them, and how they become what is sent (specification §7). */

export interface UserValues {
  fullName: string
  email: string
  country: string
  city: string
  street: string
  houseNumber: string
}

/** Of a switch 'true' is shown as Enabled, 'false' as Disabled. */
export type AccountValues = Record<AccountFieldName, string>

/** A new user's account (specification §4, defaults). */
export const newAccount: AccountValues = byKind(accountFieldNames, {
  money: () => '0.00',
  profit: () => '0.00',
  status: () => 'pending',
  switch: () => 'false',
  text: () => '',
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

/** What is sent of an account's fields. No field is required: an amount left empty stays as it is, an empty text is taken away. */
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

/**
 * Only what was changed in a form. What others change meanwhile (a balance moves all day) is not put back to
 * what it was when the form was opened.
 */
export function changedOf<Values extends object>(values: Values, before: Values): Partial<Values> {
  const changed: Partial<Values> = {}
  for (const field in values) if (values[field] !== before[field]) changed[field] = values[field]
  return changed
}

/** Name and email always (specification §7); of the address what was changed. A name or email left empty stays as it is. */
export function userChangeOf(values: UserValues, before: UserValues): UserChange {
  const { fullName, email, ...address } = values
  const { fullName: _name, email: _email, ...addressBefore } = before
  return {
    ...(isGiven(fullName) && { fullName }),
    ...(isGiven(email) && { email }),
    ...changedOf(address, addressBefore),
  }
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}
