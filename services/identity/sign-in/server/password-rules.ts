import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { passwordStrength } from '#services/framework/api/password-strength.ts'
import type { Profile } from '#services/identity/users/user-vocabulary.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'

const COMMON = 'This password is too common. Please choose another one'
const OWN = 'A password may not be your name or address. Please choose another one'

/** Words of this product that attackers try first. */
const ownWords = ['proofdesk']

/**
 * Refuses passwords that are easy to guess: the roughly 50,000 most common ones, in any letter case, those that are the
 * person's own name, email or postal address, with any digits and punctuation around it (ASVS 6.2.4, 6.2.11), and those
 * that zxcvbn guesses in fewer than 10,000 tries. Nothing else is refused: forms show the strength. The specification's
 * own messages come from the schemas, before this.
 *
 * @param field The form field that the message is for.
 * @throws {HttpError} 400
 */
export async function assertPasswordAllowed(
  password: string,
  person: Profile,
  field: 'password' | 'newPassword',
): Promise<void> {
  const refuse = (message: string) => new HttpError(400, fieldFailure(field, message))
  const lowerCase = password.toLowerCase()
  const letters = lettersOf(password)
  if ((await commonPasswords()).has(lowerCase) || ownWords.includes(letters)) throw refuse(COMMON)
  if (namesOf(person).includes(lowerCase) || (letters !== '' && namesOf(person).map(lettersOf).includes(letters)))
    throw refuse(OWN)
  const { level, reason } = await passwordStrength(password)
  if (level === 0) throw refuse(`This password is too easy to guess: ${reason}. Please choose another one`)
}

/** A person's name and address, each as a whole and word by word. */
function namesOf({ fullName, email, country, city, street, houseNumber }: Profile): string[] {
  const [mailbox = ''] = email.split('@')
  const texts = [fullName, email, mailbox, country, city, street, `${street}${houseNumber}`]
  return [...texts, ...texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))].map((text) => text.toLowerCase())
}

const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}]/gu, '')

let common: Promise<ReadonlySet<string>> | undefined

/** The list loads slowly, so only where passwords are set. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return common
}
