import type { UserDetails } from '#services/identity/users/user-api.ts'
import { changedOf, isGiven } from '@/features/trading/accounts/account-values.ts'
import type { UserChange } from './user-queries.ts'

/** The values of a user's form, and their conversion for the API (specification §7). */

const addressNames = ['country', 'city', 'street', 'houseNumber'] as const

export type UserValues = Record<'fullName' | 'email' | (typeof addressNames)[number], string>

/** A user as the form begins with; undefined for a new one. */
export function userValuesOf(user: UserDetails | undefined): UserValues {
  const { fullName = '', email = '', country = '', city = '', street = '', houseNumber = '' } = user ?? {}
  return { fullName, email, country, city, street, houseNumber }
}

/** Name and email always (specification §7), unless emptied; of the address what was changed. */
export function userChangeOf({ fullName, email, ...values }: UserValues, before: UserValues): UserChange {
  return {
    ...(isGiven(fullName) && { fullName }),
    ...(isGiven(email) && { email }),
    ...changedOf(addressNames, values, before),
  }
}
