import { z } from 'zod'

/**
 * Texts in requests. Each schema carries its own messages (the specification's, or 'Required' and 'Invalid input'), so
 * that zod's English never reaches a person, and no setting is global.
 */

export const REQUIRED = 'Required'
export const INVALID = 'Invalid input'

/** The body or the query of a request: unknown fields are dropped, so they have no effect. */
export function request<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.object(shape, { error: INVALID })
}

/** For a schema's `error`: a field that isn't there is 'Required', one of the wrong kind is 'Invalid input'. */
export function missingOrInvalid({ input }: { readonly input?: unknown }): string {
  return input === undefined || input === null ? REQUIRED : INVALID
}

/** Any text up to a length, kept as typed. */
export function text(longest: number) {
  return z.string({ error: missingOrInvalid }).max(longest, tooLong(longest))
}

/** Text without the blanks around it; may be empty. Lengths are those that were sent. */
export function trimmedText(longest: number) {
  return z.string({ error: missingOrInvalid }).max(longest, tooLong(longest)).trim()
}

/** Text that says something; blanks around it are dropped. `message` is for a field left out or blank. */
export function requiredText(longest: number, message: string = REQUIRED) {
  const missing = ({ input }: { readonly input?: unknown }) => (input === undefined || input === null ? message : INVALID)
  return z.string({ error: missing }).max(longest, tooLong(longest)).regex(SAYS_SOMETHING, message).trim()
}

/** A secret (key, token) of which only the presence can be checked here: whatever is wrong, the answer is the same. */
export function secret(longest: number, message: string) {
  return z.string({ error: message }).max(longest, message).regex(SAYS_SOMETHING, message)
}

/** The longest address that mail can be sent to (RFC 5321). */
const LONGEST_EMAIL = 254

/** Zod's, with blanks around it. A pattern and not the format, of which each tool has an idea of its own. */
const EMAIL = new RegExp(`^\\s*${z.regexes.email.source.replace(/^\^|\$$/g, '')}\\s*$`)

const SAYS_SOMETHING = /\S/

/** An email address, without the blanks around it, in the letter case that was typed. */
export function email(message: string) {
  // The length comes first and ends the check, so that no pattern ever runs over a long text.
  return z.string({ error: message }).max(LONGEST_EMAIL, { error: message, abort: true }).regex(EMAIL, { error: message }).trim()
}

/** Full name of a person (specification §5, §9). */
export function fullName() {
  const message = 'Full name must be at least 2 characters'
  return z
    .string({ error: message })
    .max(200, 'Full name is too long')
    .regex(/^\s*\S[\s\S]*\S\s*$/, message)
    .trim()
}

/** A password to be set: 8 to 100 characters, never trimmed (specification §5, §9). */
export function newPassword(subject: 'Password' | 'New password') {
  const tooShort = `${subject} must be at least 8 characters`
  return z.string({ error: tooShort }).min(8, tooShort).max(100, `${subject} is too long`)
}

/** Where a line of an address ends. */
export const LONGEST_ADDRESS_LINE = 200

/** Notes of an administrator: reasons and verdicts. */
export const LONGEST_NOTE = 2000

/** Every other text. */
export const LONGEST_TEXT = 500

function tooLong(longest: number): string {
  return `Must be at most ${longest} characters`
}
