import { z } from 'zod'
import { component } from './openapi-component.ts'
import { codePointName, unseenCharacter, unseenInLines } from './unseen-characters.ts'

/**
 * Texts in requests. Each schema carries its own messages (the specification's, or 'Required' and 'Invalid input'), so
 * that zod's English never reaches a person, and no setting is global. What people write and others read is one of the
 * texts and notes here, which refuse characters that nobody sees; a test holds every field of every body to it.
 */

export const REQUIRED = 'Required'
export const INVALID = 'Invalid input'
/** Replaces a secret that is set. */
export const HIDDEN = '••••••••'

/** The body or the query of a request: unknown fields are dropped. */
export function request<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.object(shape, { error: INVALID })
}

/** A request that the OpenAPI document names. */
export function namedRequest<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
  return component(id, request(shape))
}

/** For a schema's `error`: an absent field is 'Required', one of the wrong type is 'Invalid input'. */
export function missingOrInvalid({ input }: { readonly input?: unknown }): string {
  return input === undefined || input === null ? REQUIRED : INVALID
}

/** One line up to a length, kept as entered. */
export function text(longest: number) {
  return oneLine(z.string({ error: missingOrInvalid }).max(longest, tooLong(longest)))
}

/** One trimmed line; may be empty. Lengths are checked before trimming. */
export function trimmedText(longest: number) {
  return oneLine(z.string({ error: missingOrInvalid }).max(longest, tooLong(longest)).trim())
}

/** One trimmed, non-empty line. `message` is for an absent or blank field. */
export function requiredText(longest: number, message: string = REQUIRED) {
  return oneLine(nonBlank(longest, message))
}

/** Several lines up to a length, kept as entered. */
export function note(longest: number) {
  return severalLines(z.string({ error: missingOrInvalid }).max(longest, tooLong(longest)))
}

/** Several trimmed lines; may be empty. */
export function trimmedNote(longest: number) {
  return severalLines(z.string({ error: missingOrInvalid }).max(longest, tooLong(longest)).trim())
}

/** Several trimmed, non-empty lines. `message` is for an absent or blank field. */
export function requiredNote(longest: number, message: string = REQUIRED) {
  return severalLines(nonBlank(longest, message))
}

function nonBlank(longest: number, message: string) {
  const missing = ({ input }: { readonly input?: unknown }) =>
    input === undefined || input === null ? message : INVALID
  return z.string({ error: missing }).max(longest, tooLong(longest)).regex(SAYS_SOMETHING, message).trim()
}

/** Refuses what nobody can see, and line breaks. Functions and no patterns: JSON Schema has no Unicode properties. */
function oneLine(schema: z.ZodString) {
  return schema.refine((text) => unseenCharacter(text) === undefined, {
    error: ({ input }) => unseenMessage(unseenCharacter(String(input))),
  })
}

/** Refuses what nobody can see, except line breaks and tabs. */
function severalLines(schema: z.ZodString) {
  return schema
    .overwrite((text) => text.replaceAll('\r\n', '\n'))
    .refine((text) => unseenInLines(text) === undefined, {
      error: ({ input }) => unseenMessage(unseenInLines(String(input))),
    })
}

function unseenMessage(character = ''): string {
  return character === '\n' || character === '\r' || character === '\t'
    ? 'Please write this on one line, without tabs'
    : `There is an invisible character here (${codePointName(character)}). Please type this again instead of pasting it`
}

/** A password for another program: any characters, and not for people to read in a sentence. */
export function passwordText(longest: number) {
  return z.string({ error: missingOrInvalid }).max(longest, tooLong(longest))
}

/** Text that programs write: every error has the same message. */
export function code(pattern: RegExp, longest: number, message = INVALID) {
  return z.string({ error: message }).max(longest, message).regex(pattern, message)
}

/** A secret (key, token), of which only the presence is checked here. */
export function secret(longest: number, message: string) {
  return code(SAYS_SOMETHING, longest, message)
}

const SAYS_SOMETHING = /\S/

/** Full name of a user (specification §5, §9). */
export function fullName() {
  const message = 'Full name must be at least 2 characters'
  return oneLine(
    z
      .string({ error: message })
      .max(200, 'Full name is too long')
      .regex(/^\s*\S[\s\S]*\S\s*$/, message)
      .trim(),
  )
}

/** A new password: 8 to 100 characters, never trimmed (specification §5, §9). */
export function newPassword(subject: 'Password' | 'New password') {
  const tooShort = `${subject} must be at least 8 characters`
  return z.string({ error: tooShort }).min(8, tooShort).max(100, `${subject} is too long`)
}

/** The longest line of a postal address. */
const LONGEST_ADDRESS_LINE = 200

/** The lines of a postal address, each made by `line` from the longest length allowed. */
export function addressLines<Line>(line: (longest: number) => Line) {
  const make = () => line(LONGEST_ADDRESS_LINE)
  return { country: make(), city: make(), street: make(), houseNumber: make() }
}

/** Notes of an administrator: reasons and verdicts. */
export const LONGEST_NOTE = 2000

/** Every other text. */
export const LONGEST_TEXT = 500

function tooLong(longest: number): string {
  return `Must be at most ${longest} characters`
}

/** The number of the first line with more characters than that. A parser of CSV counts no separators as part of a row. */
export function longLineOf(text: string, most: number): number | undefined {
  // Each step passes half a line or more, so lines of just that length take no longer than others.
  for (let start = 0; start < text.length;) {
    const part = text.slice(start, start + most + 1)
    const end = Math.max(part.lastIndexOf('\n'), part.lastIndexOf('\r'))
    if (end === -1 && part.length > most) return text.slice(0, start).split(/\r\n|\n|\r/).length
    start += end === -1 ? part.length : end + 1
  }
  return undefined
}
