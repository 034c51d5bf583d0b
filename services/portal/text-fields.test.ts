import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { unseenInLines } from '#services/framework/api/unseen-characters.ts'
import { allRoutes } from './routes.ts'

/** Passwords, keys and tokens: programs compare them, and nobody reads them in a sentence. */
const secrets = [
  'password',
  'currentPassword',
  'newPassword',
  'confirmPassword',
  'masterPassword',
  'accessKey',
  'secret',
  'setup',
  'token',
]

/** Where several lines make sense. */
const lines = ['acceptDisagreement', 'adminNotes', 'banReason', 'hold', 'reason', 'paymentDetails', 'mapping', 'text']

/** What programs send in bulk: each row is checked by itself, so that one fault refuses one row (observation-api.ts). */
const bulk = ['rows', 'entries']

interface TextField {
  readonly call: string
  readonly field: string
  readonly schema: z.ZodType
}

/** The fields of a body, nested ones too, each with its schema as declared: what it makes of a text is its answer. */
function textFields(call: string, field: string, schema: z.core.$ZodType): readonly TextField[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, part]) => textFields(call, name, part))
  if (schema instanceof z.ZodArray) return textFields(call, field, schema.element)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    const inner = schema.unwrap()
    return textFields(call, field, inner)
  }
  if (!(schema instanceof z.ZodType)) throw new Error(`${call} ${field} is no schema of zod's`)
  return [{ call, field, schema }]
}

const fields = allRoutes
  .flatMap(({ name, body }) => (body ? textFields(name, '', body) : []))
  .filter(({ field }) => !bulk.includes(field))

/** Whether a text gets through a field, with what should not be in it. */
function admits({ schema }: TextField, text: string): boolean {
  const { success, data } = schema.safeParse(text)
  return success && typeof data === 'string' && unseenInLines(data) !== undefined
}

const unseen = [
  '\u202E',
  '\u2066',
  '\u200B',
  '\u200D',
  '\uFEFF',
  '\u00AD',
  '\u0000',
  '\u001B',
  '\u009B',
  '\uD800',
  '\u{E0041}',
]

const texts = (character: string) => [
  `${character}Ada Byron`,
  `Ada ${character} Byron`,
  `Ada Byron${character}`,
  `ada${character}@example.com`,
  `2026-03-03T14:07:00Z${character}`,
  character,
]

describe('every text of every request', () => {
  it('is found by this test', () => {
    expect(fields.length).toBeGreaterThan(80)
    const names = new Set(fields.map(({ field }) => field))
    for (const field of [...secrets, ...lines, 'fullName', 'email', 'street', 'name', 'login', 'limit', 'code'])
      expect(names, field).toContain(field)
  })

  it('refuses characters that nobody sees', () => {
    const open = fields.filter(
      (field) => !secrets.includes(field.field) && unseen.some((one) => texts(one).some((text) => admits(field, text))),
    )
    expect(open.map(({ call, field }) => `${call} ${field}`)).toEqual([])
  })

  it('is one line, except notes and reasons', () => {
    const several = fields.filter(({ field, schema }) => !secrets.includes(field) && schema.safeParse('a\nb').success)
    expect([...new Set(several.map(({ field }) => field))].toSorted()).toEqual(lines.toSorted())
  })

  it('takes a password as it is typed', () => {
    for (const { field, schema } of fields)
      if (secrets.includes(field)) expect(schema.safeParse('correct\u200Dhorse').success, field).toBe(true)
  })

  it('says which character, and for a line break that one line is meant', () => {
    const name = fields.find(({ field }) => field === 'fullName')
    const messages = (text: string) => name?.schema.safeParse(text).error?.issues.map(({ message }) => message)
    expect(messages('Ada\u202E Byron')).toEqual([
      'There is an invisible character here (U+202E). Please type this again instead of pasting it',
    ])
    expect(messages('Ada\nByron')).toEqual(['Please write this on one line, without tabs'])
  })

  it('has line breaks as one character, whichever machine they come from', () => {
    const notes = fields.find(({ field }) => field === 'adminNotes')
    expect(notes?.schema.parse('one\r\ntwo')).toBe('one\ntwo')
  })
})
