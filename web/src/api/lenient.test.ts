import { ListedUser } from '#services/trading/traders/trader-api.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
// oxlint-disable-next-line no-restricted-imports -- a test may load every subject
import { allRoutes } from '#services/portal/routes.ts'
// oxlint-disable-next-line no-restricted-imports -- as all random tests do
import { sampled } from '#test-support/random-seed.ts'
import { AdminAuth } from '#services/identity/sign-in/sign-in-api.ts'
import { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { AuditMoments } from '#services/oversight/audit/audit-api.ts'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { Changes } from '#services/framework/api/live-schemas.ts'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { Stats } from '#services/oversight/statistics/statistics-api.ts'
import { formatDate } from '@/format/dates.ts'
import { formatMoney } from '@/format/money.ts'
import { accountStatusLabel, payoutStatusLabel } from '@/format/status.ts'
import { parseLeniently } from './lenient.ts'

/** Every JSON answer that pages read, by the name of its call. */
const answers = allRoutes.flatMap(({ name, tag, answer }) =>
  answer && 'schema' in answer && tag !== 'Service' ? [{ name, schema: answer.schema }] : [],
)

const oddities = [undefined, null, '', 'odd', '-12', -1, 1.5, 1e300, true, {}, { odd: 1 }, [], ['odd'], [null]]

describe.each(answers)('the answer of $name', ({ schema }) => {
  const good = sampleOf(schema)

  it('reads as it is when nothing is odd, with fields of newer servers left out', () => {
    expect(parseLeniently(schema, good)).toEqual(good)
    if (isObject(good)) expect(parseLeniently(schema, { ...good, newerField: { any: ['thing'] } })).toEqual(good)
  })

  it('survives any value in any field, and keeps all other fields', () => {
    // The field that says which kind of object it is decides on the others; a request for a passkey without its check
    // is none.
    const decisive = ['userVerification', 'kind', 'what', 'row', 'funded']
    const paths = pathsOf(good).filter((path) => !decisive.includes(String(path.at(-1))) && path[0] !== 'isAdmin')
    // A large answer is read again for each of its many fields: with some oddities by seed, in test:long with all.
    const tried = paths.length > 40 ? 3 : oddities.length
    const broken = paths.flatMap((path, index) =>
      sampled(oddities, tried, index).flatMap((odd) => {
        const read = parseLeniently(schema, withValue(good, path, odd))
        const kept =
          sameKinds(schema, read) && JSON.stringify(without(read, path)) === JSON.stringify(without(good, path))
        return kept ? [] : [{ path, odd, read }]
      }),
    )
    expect(broken).toEqual([])
  })

  it('is refused when it is something else altogether', () => {
    if (isObject(good) || Array.isArray(good))
      for (const odd of [null, 'odd', 5, Array.isArray(good) ? {} : []])
        expect(() => parseLeniently(schema, odd)).toThrow()
  })
})

describe('an odd value', () => {
  const own = objectOf(OwnAccount)
  const account = (changes: object) => parseLeniently(OwnAccount, { ...own, ...changes })
  const payout = objectOf(AdminPayout)

  it.each([
    ['suspended', 'Unknown'],
    [undefined, 'Pending'],
    [null, 'Pending'],
    [5, 'Unknown'],
    [{}, 'Pending'],
    ['breached', 'Breached'],
  ])('the status %j reads as %s', (status, label) =>
    expect(accountStatusLabel(account({ status }).status).label).toBe(label),
  )

  it.each([
    ['on hold', 'on hold'],
    [undefined, 'Unknown'],
    ['approved', 'Approved'],
  ])('the status %j of a payout reads as %s', (status, label) =>
    expect(payoutStatusLabel(parseLeniently(AdminPayout, { ...payout, status }).status).label).toBe(label),
  )

  it.each([
    ['lots', '$0.00'],
    [null, '$0.00'],
    [[], '$0.00'],
    ['7', '$7.00'],
    [7.5, '$7.50'],
  ])('the amount %j reads as %s', (balance, text) => expect(formatMoney(account({ balance }).balance)).toBe(text))

  it.each([['yesterday'], [null], [undefined], [{}], [true]])('the date %j reads as N/A', (issuedAt) =>
    expect(formatDate(parseLeniently(Certificate, { ...objectOf(Certificate), issuedAt }).issuedAt, 'words')).toBe(
      'N/A',
    ),
  )

  it('never enables or bans by accident', () => {
    expect(account({ payoutEnabled: 'true' }).payoutEnabled).toBe(false)
    expect(parseLeniently(ListedUser, { ...objectOf(ListedUser), banned: 1 }).banned).toBe(false)
  })

  it('hides no other row', () => {
    const rows = [null, 'odd', { ...payout, id: 'p1', amount: 'lots' }, {}, { ...payout, id: 'p2' }]
    expect(parseLeniently(AdminPayout.array(), rows).map(({ id }) => id)).toEqual(['p1', '', 'p2'])
    expect(parseLeniently(Stats, { users: { total: 3 }, recentUsers: [7, objectOf(ListedUser)] })).toMatchObject({
      users: { total: 3, active: 0 },
      payouts: { pending: 0, pendingAmount: '' },
      recentUsers: [{ id: '2026-03-03T14:07:00Z' }],
    })
  })

  it('keeps lists that belong together aligned', () =>
    expect(parseLeniently(AuditMoments, { numbers: [1, 'odd', 3], times: [10, 20, 30] })).toEqual({
      numbers: [1, 0, 3],
      times: [10, 20, 30],
    }))

  it('reads the words of newer servers', () => {
    expect(parseLeniently(Changes, { subjects: ['weather', 'accounts'] }).subjects).toEqual(['weather', 'accounts'])
    const owner = { isAdmin: true, id: 'k1', role: 'owner', label: 'desk', permissions: [], mailFolder: null }
    expect(parseLeniently(AdminAuth, owner)).toEqual(owner)
    expect(parseLeniently(AdminAuth, { isAdmin: 'yes', role: 'admin', label: 'desk' })).toEqual({ isAdmin: false })
    expect(parseLeniently(AuditEvent, { ...objectOf(AuditEvent), actor: { kind: 'robot', label: 'x' } }).actor).toEqual(
      {
        kind: 'robot',
        label: 'x',
      },
    )
  })
})

type Path = readonly (string | number)[]

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(sampleOf(schema))
}

/** A valid value, with everything in it that may be absent. */
function sampleOf(schema: z.core.$ZodType): unknown {
  // A browser does not know what it is made of.
  if (schema instanceof z.ZodLazy) return {}
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return sampleOf(schema.unwrap())
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, sampleOf(field)]))
  if (schema instanceof z.ZodNull) return null
  if (schema instanceof z.ZodArray) return [sampleOf(schema.element)]
  if (schema instanceof z.ZodRecord) return { name: sampleOf(schema.valueType) }
  if (schema instanceof z.ZodUnion) return sampleOf(schema.options[0] ?? z.null())
  const samples = [
    null,
    true,
    1,
    0.5,
    '2026-03-03T14:07:00Z',
    '2026-03-03',
    '250.00',
    '/file',
    'https://example.com',
    'text',
  ]
  const words = schema instanceof z.ZodEnum ? schema.options : schema instanceof z.ZodLiteral ? [...schema.values] : []
  // A text that no sample fits, such as a path with a code, is kept all the same.
  return [...words, ...samples].find((sample) => z.safeParse(schema, sample).success) ?? 'text'
}

function pathsOf(value: unknown): readonly Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const key = Array.isArray(value) ? Number(name) : name
    return [[key], ...pathsOf(inner).map((path) => [key, ...path])]
  })
}

function withValue(value: unknown, [key, ...rest]: Path, odd: unknown): unknown {
  if (key === undefined) return odd
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? withValue(item, rest, odd) : item))
  return isObject(value) ? { ...value, [key]: withValue(value[key], rest, odd) } : value
}

/** Everything but the field at a path, and the objects and lists around it. */
function without(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return undefined
  return Object.entries(value)
    .map(([name, inner]) => [name, String(key) === name ? without(inner, rest) : inner])
    .filter(([, inner]) => inner !== undefined)
}

/** Whether every field is there with a value of its kind, so that a screen can use it. */
function sameKinds(schema: z.core.$ZodType, value: unknown): boolean {
  if (schema instanceof z.ZodLazy) return true
  if (schema instanceof z.ZodNullable) return value === null || sameKinds(schema.unwrap(), value)
  if (schema instanceof z.ZodOptional) return value === undefined || sameKinds(schema.unwrap(), value)
  if (schema instanceof z.ZodObject)
    return isObject(value) && Object.entries(schema.shape).every(([name, field]) => sameKinds(field, value[name]))
  if (schema instanceof z.ZodArray)
    return Array.isArray(value) && value.every((item) => sameKinds(schema.element, item))
  if (schema instanceof z.ZodRecord)
    return isObject(value) && Object.values(value).every((one) => sameKinds(schema.valueType, one))
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => sameKinds(option, value))
  if (schema instanceof z.ZodLiteral) return schema.values.has(z.safeParse(schema, value).data)
  if (schema instanceof z.ZodNumber) return typeof value === 'number' && Number.isFinite(value)
  if (schema instanceof z.ZodBoolean) return typeof value === 'boolean'
  if (schema instanceof z.ZodNull) return value === null
  return typeof value === 'string'
}
