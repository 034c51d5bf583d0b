import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import {
  type AccountFieldKind,
  type AccountFieldName,
  accountFieldNames,
  eachField,
} from '#services/trading/accounts/account-fields.ts'
import { accountStatuses, platforms } from '#services/trading/stream/account-vocabulary.ts'
import type { AccountChange } from './staff-account-queries.ts'

/** The values of the forms about accounts: texts, as fields have them, and their conversion for the API (specification §7). */

/** The value of a switch is 'true' or 'false', shown as Enabled or Disabled. */
export type AccountValues = Record<AccountFieldName, string>

/** The values that are not empty in a new user's account (specification §4, defaults). */
const defaults: Readonly<Partial<Record<AccountFieldKind, string>>> = {
  money: '0.00',
  profit: '0.00',
  status: 'pending',
  switch: 'false',
}

/** An account as the form begins with: what is not set is an empty field. Null for a new one. */
export function accountValuesOf(account: UserDetails['tradingAccount']): AccountValues {
  return eachField(accountFieldNames, (name, { kind }) =>
    account ? String(account[name] ?? '') : (defaults[kind] ?? ''),
  )
}

/**
 * Converts an account's fields for the API. No field is required: an empty amount stays as it is, an empty text is
 * removed. The platform is no specified field: it is sent only where it differs from before.
 */
export function accountChangeOf(
  { balance, profitLoss, status, payoutEnabled, platform, ...texts }: Partial<AccountValues>,
  before: Pick<AccountValues, 'platform'> = { platform: '' },
): AccountChange {
  const known = accountStatuses.find((one) => one === status)
  return {
    ...(isGiven(balance) && { balance: balance.trim() }),
    ...(isGiven(profitLoss) && { profitLoss: profitLoss.trim() }),
    ...(known && { status: known }),
    ...(payoutEnabled !== undefined && { payoutEnabled: payoutEnabled === 'true' }),
    ...(platform !== undefined &&
      platform !== before.platform && { platform: platforms.find((one) => one === platform) ?? null }),
    ...texts,
  }
}

/** Only what was changed in a form, so that others' changes meanwhile (a balance moves all day) are not undone. */
export function changedOf<Name extends string>(
  names: readonly Name[],
  values: Record<Name, string>,
  before: Record<Name, string>,
) {
  const changed: Partial<Record<Name, string>> = {}
  for (const name of names) if (values[name] !== before[name]) changed[name] = values[name]
  return changed
}

/** Whether a field holds more than spaces. */
export function isGiven(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}
