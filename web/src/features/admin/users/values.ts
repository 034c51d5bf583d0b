import type { ListedAccount, UserDetails } from '../../../../../services/api/user-schemas.ts'
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

export interface AccountValues {
  balance: string
  profitLoss: string
  status: string
  /** 'true' is shown as Enabled, 'false' as Disabled. */
  payoutEnabled: string
  login: string
  masterPassword: string
  server: string
  phase: string
  dailyDrawdownLimit: string
  overallLossLimit: string
  profitTarget: string
}

/** A new user's account (specification §4, defaults). */
export const newAccount: AccountValues = {
  balance: '0.00',
  profitLoss: '0.00',
  status: 'pending',
  payoutEnabled: 'false',
  login: '',
  masterPassword: '',
  server: '',
  phase: '',
  dailyDrawdownLimit: '',
  overallLossLimit: '',
  profitTarget: '',
}

/** A user as the form begins with. */
export function userValuesOf({ fullName, email, country, city, street, houseNumber }: UserDetails): UserValues {
  return { fullName, email, country, city, street, houseNumber }
}

/** An account as the form begins with: what is not set is an empty field. */
export function accountValuesOf(account: (Omit<ListedAccount, 'stamps'> & { readonly masterPassword: string | null }) | null): AccountValues {
  if (!account) return newAccount
  return {
    balance: account.balance,
    profitLoss: account.profitLoss,
    status: account.status,
    payoutEnabled: String(account.payoutEnabled),
    login: account.login ?? '',
    masterPassword: account.masterPassword ?? '',
    server: account.server ?? '',
    phase: account.phase ?? '',
    dailyDrawdownLimit: account.dailyDrawdownLimit ?? '',
    overallLossLimit: account.overallLossLimit ?? '',
    profitTarget: account.profitTarget ?? '',
  }
}

const statuses = ['pending', 'active', 'under-review', 'breached'] as const

/** What is sent of an account's fields. No field is required: an amount left empty stays as it is, an empty text is taken away. */
export function accountChangeOf({ balance, profitLoss, status, payoutEnabled, ...texts }: Partial<AccountValues>): AccountChange {
  const known = statuses.find((one) => one === status)
  return {
    ...(isGiven(balance) && { balance: balance.trim() }),
    ...(isGiven(profitLoss) && { profitLoss: profitLoss.trim() }),
    ...(known && { status: known }),
    ...(payoutEnabled !== undefined && { payoutEnabled: payoutEnabled === 'true' }),
    ...texts,
  }
}

/**
 * Only what was changed in a form. What somebody else changes meanwhile (a balance moves all day) is not put back to
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
