/** The profile of a user, and the orders of the list of users. */

/** The fields of a person's profile, in the order that forms and changes list them. */
export const profileFields = ['fullName', 'email', 'country', 'city', 'street', 'houseNumber'] as const
export type ProfileField = (typeof profileFields)[number]
export type Profile = Readonly<Record<ProfileField, string>>

/** An object with a value for each field of a profile. */
export function eachProfileField<Value>(make: (field: ProfileField) => Value): Record<ProfileField, Value> {
  return {
    fullName: make('fullName'),
    email: make('email'),
    country: make('country'),
    city: make('city'),
    street: make('street'),
    houseNumber: make('houseNumber'),
  }
}

/** The profile alone, of something that has more fields. */
export function profileOf(source: Profile): Profile {
  return eachProfileField((field) => source[field])
}
