import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { embeddedPaths } from '#services/process/data-folder.ts'
import { accountStreamEvents } from '#services/trading/stream/account-aggregate.ts'
import { documentAttacks } from '#test-support/document-attacks.ts'
import { attacks } from './attacks.ts'

/** Each attack of the list is made by a test that exists and runs. The tests themselves make them. */

const root = join(import.meta.dirname, '../..')
const sources = new Map<string, string>()
function sourceOf(file: string): string {
  const source = sources.get(file) ?? readFileSync(join(root, file), 'utf8')
  sources.set(file, source)
  return source
}

const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)

/** Whether a test has this title: it is the first of several arguments of a call that makes no group. */
const hasTest = (source: string, title: string) =>
  new RegExp(String.raw`(?<!\bdescribe)\(\s*(['"\`])${escaped(title)}\1,`).test(source.replaceAll(String.raw`\'`, "'"))

/** Whether a table has this row. */
const hasRow = (source: string, row: string) => new RegExp(String.raw`(['"\`])${escaped(row)}\1\s*[,:]`).test(source)

/** What the tables have that tests take from elsewhere. */
const elsewhere = new Set([...Object.keys(documentAttacks), ...Object.keys(accountStreamEvents)])

const ids = [
  ...['C1', 'C2', 'C3', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'M1', 'M2', 'M3', 'M4', 'M5', 'M6'],
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14].map((n) => `F${n}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `A${n}`),
]
const low = Array.from({ length: 11 }, (_, n) => `low ${n + 1}`)

/** The stores that hold what decides, each with the file that it is in where it is embedded. */
const stores: Readonly<Record<string, keyof typeof embeddedPaths | null>> = {
  log: 'events',
  EventStoreDB: null,
  documents: 'views',
  'MongoDB documents': null,
  leases: 'views',
  'MongoDB leases': null,
  keys: 'keys',
  sessions: 'sessions',
  'Redis sessions': null,
  'Redis limits': null,
  'mail queue': 'mail',
  'Redis mail queue': null,
  tree: 'tree',
  'published seals': 'seals',
  files: 'files',
  backups: null,
  export: null,
}
const actions = ['update', 'delete', 'put back', 'insert'] as const

describe('the list of attacks', () => {
  it('has each of the review', () => {
    const listed = new Set(attacks.flatMap(({ id }) => [id, ...id.split(' ')]))
    expect([...ids, ...low].filter((id) => !listed.has(id))).toEqual([])
    expect(attacks.filter(({ id }) => id === 'own').length).toBeGreaterThan(30)
  })

  it('has no open ones', () => {
    expect(attacks.flatMap(({ what, end }) => (end === 'open' ? [what] : []))).toEqual([])
  })

  it('has each action on each store', () => {
    const missing = Object.keys(stores).flatMap((store) =>
      actions.filter((action) => !attacks.some((each) => each.store === store && each.action === action)),
    )
    expect(missing).toEqual([])
    // Mails in files are read, not written: who can write them needs no attack.
    const embedded = [...new Set(Object.values(stores)), 'outbox'].filter((file) => file !== null)
    expect(embedded.toSorted()).toEqual(Object.keys(embeddedPaths).toSorted())
  })

  it('has each type of event of an account, where no decision gives it', () => {
    const types = attacks.flatMap(({ test, what }) => (test === 'is told: %s' ? [what.split(' ')[0]] : []))
    expect(types).toEqual(Object.keys(accountStreamEvents))
    expect(sourceOf('services/system-tests/decided-again.test.ts')).toContain(
      'it.each(Object.keys(accountStreamEvents))',
    )
  })

  it('names tests that exist and are not skipped', () => {
    const missing = attacks.flatMap(({ id, file, test, row }) => {
      const source = sourceOf(file)
      const isThere = hasTest(source, test) && (row === undefined || elsewhere.has(row) || hasRow(source, row))
      return isThere ? [] : [`${id}: ${file}: ${test}${row === undefined ? '' : ` (${row})`}`]
    })
    expect(missing).toEqual([])
    const skipping = /\b(?:it|test|describe)(?:\.\w+)*\.(?:skip|todo|only|fails)\b|skipIf\((?:true|1)/
    expect([...sources].flatMap(([file, source]) => (skipping.test(source) ? [file] : []))).toEqual([])
  })
})
