import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import { type EventStoreDouble, startDouble } from '#test-support/eventstoredb-double/double.ts'
import type { LoggedEvent } from '#test-support/eventstoredb-double/log.ts'
import { openPortal } from '#test-support/portal.ts'
import { seededRandom, triesAll } from '#test-support/random-seed.ts'
import { collect } from '#test-support/sample-events.ts'
import { seal, verified } from '#test-support/small-firm.ts'
import { storedEvents } from '#test-support/stores.ts'
import { type Dependencies, openDependencies, prepareDecisions } from '#services/portal/composition-root.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import { BadConfiguration, readConfig } from '#services/process/config.ts'
import { createRepositories, type Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { type AggregateType, parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { ForgedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventHash } from '#services/event-sourcing/codec/hash-chain.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { DomainEvent } from '#services/event-sourcing/event-definitions.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { loginClaims } from '#services/trading/stream/login-claim.ts'
import { createAccountTimelines } from '#services/oversight/audit/server/account-timeline.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'
import { batchStreams } from '#services/payments/batches/batch.ts'
import { importStreams } from '#services/trading/imports/import.ts'
import { COIN_CODES_ID, coinCodes, setCoinCodes } from '#services/payments/batches/coin-codes.ts'
import { CALENDAR_ID, calendarStreams } from '#services/trading/calendar/calendar.ts'
import { moment } from '#services/rules/observation.ts'
import { addOffers, OFFERS_ID, offerStreams } from '#services/programmes/programmes/firm-offers.ts'
import { SETUP_ID, setupStreams } from '#services/operations/setup/setup.ts'
import { changeFirm, FIRM_ID, firmStreams } from '#services/identity/firm/firm.ts'
import { refuseOrder, untakenOrderId, untakenOrders } from '#services/trading/orders/untaken-order.ts'
import { FIRM_ACCOUNT_ID, firmAccounts } from '#services/payments/batches/firm-account.ts'
import { userNoteStreams, writeUserNote } from '#services/identity/user-notes/user-note.ts'
import {
  REPLY_TEMPLATES_ID,
  replyTemplateStreams,
  saveReplyTemplate,
} from '#services/payments/reply-templates/reply-template.ts'
import { savedViewStreams, saveView } from '#services/identity/saved-views/saved-view.ts'
import { destinationStreams, saveDestination } from '#services/payments/destinations/saved-destination.ts'
import { EURO_RATES, paymentRates } from '#services/payments/batches/payment-rate.ts'
import {
  accountIdOf,
  adminKeyId,
  ownerOf,
  accountId,
  orderId,
  payoutId,
  programmeId,
  userId,
} from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { installationStreams } from '#services/framework/streams/installation.ts'
import { mailStreams } from '#services/framework/streams/mail.ts'
import { noticeStreams } from '#services/identity/users/seen-notices.ts'
import { orderStreams } from '#services/trading/orders/order.ts'
import { apiKeyStreams } from '#services/identity/api-keys/api-key.ts'
import { programmeStreams } from '#services/programmes/programmes/programme.ts'
import { staffFactors, userFactors } from '#services/identity/second-factors/second-factor.ts'
import { adminKeyStreams } from '#services/identity/staff/access-key.ts'
import { administrators } from '#services/identity/staff/administrators.ts'
import { eventRegistry, streamPrefixes } from '#services/oversight/event-catalogue.ts'
import { emailClaims } from '#services/identity/users/email-claim.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { accountExport } from '#services/proof/account-export.ts'
import { LostSeals, sealStreams } from '#services/proof/seal.ts'
import { AlteredLog } from '#services/proof/sealer.ts'

/**
 * Who can write to the storage of the log, and has no key, does the same to a stream of each kind. The stores are those of
 * one machine. Every attack meets accounts and seals, and some of the other kinds by seed; in test:long all.
 */

type Load = (repositories: Repositories, id: string) => Promise<unknown>

const loadedBy = <State, Event extends DomainEvent>(type: AggregateType<State, Event>): [string, Load] => [
  type.category,
  (repositories, id) => repositories.of(type).load(id),
]

const kinds = new Map([
  loadedBy(userStreams),
  loadedBy(accountStreams),
  loadedBy(userFactors),
  loadedBy(staffFactors),
  loadedBy(emailClaims),
  loadedBy(loginClaims),
  loadedBy(adminKeyStreams),
  loadedBy(administrators),
  loadedBy(installationStreams),
  loadedBy(programmeStreams),
  loadedBy(apiKeyStreams),
  loadedBy(orderStreams),
  loadedBy(untakenOrders),
  loadedBy(noticeStreams),
  loadedBy(mailStreams),
  loadedBy(batchStreams),
  loadedBy(importStreams),
  loadedBy(firmAccounts),
  loadedBy(offerStreams),
  loadedBy(firmStreams),
  loadedBy(calendarStreams),
  loadedBy(setupStreams),
  loadedBy(coinCodes),
  loadedBy(paymentRates),
  loadedBy(savedViewStreams),
  loadedBy(userNoteStreams),
  loadedBy(replyTemplateStreams),
  loadedBy(destinationStreams),
  loadedBy(sealStreams),
])

const settings = { SEAL_SECONDS: '86400', VERIFY_SECONDS: '86400', EVENTSTORE_URL: '', MONGODB_URL: '', REDIS_URL: '' }
const context = systemContext('test', 'r1')

let folder: string
let original: readonly StoredEvent[]
/** How many entries the export of the only trader proves. */
let whole: unknown

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofdesk-attacks-'))
  const trader = await writeFirm(folder, settings)
  original = await withParts(folder, storedEvents)
  whole = await withParts(folder, (parts) => exported(parts, trader))
  expect(whole).toBeGreaterThan(10)
}, 60_000)

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/** A firm with streams of each kind, all sealed. Returns its trader. */
async function writeFirm(dataDir: string, environment: typeof settings): Promise<string> {
  const portal = await openPortal({ dataDir, environment })
  const { parts } = portal.running
  const { repositories } = parts
  const [admin, member, trader] = [await portal.admin(), await portal.member('admin'), await portal.trader()]
  const account = `/api/admin/user/${trader.id}/account`
  const browser = { type: 'SignedInFromNewBrowser', data: { browser: 'Firefox', address: '192.0.2.1' } } as const
  for (const [n, balance] of ['5000.00', '6000.00', '7000.00'].entries()) {
    await admin.patch(account, { balance, login: `1000${n}`, server: 'Live-1' })
    await trader.patch('/api/user/profile', { city: `City ${n}` })
    await trader.post('/api/login', { email: trader.email, password: trader.password })
    await repositories.of(userFactors).decide(trader.id, context, () => [browser])
    await repositories.of(staffFactors).decide(member.id, context, () => [browser])
    await repositories
      .of(noticeStreams)
      .decide(trader.id, context, () => [{ type: 'NoticesSeen', data: { upTo: n + 1 } }])
    await repositories
      .of(paymentRates)
      .decide(EURO_RATES, context, () => [
        { type: 'PaymentRateUsed', data: { batch: `batch${n}`, rate: `0.9${n}`, source: 'ECB' } },
      ])
    const view = { list: 'payouts', name: `View ${n}`, query: 'status=approved' } as const
    await repositories.of(savedViewStreams).decide(member.id, context, (views) => saveView(views, view))
    await repositories.of(userNoteStreams).decide(trader.id, context, (notes) => writeUserNote(notes, `Call ${n}`))
    await repositories
      .of(replyTemplateStreams)
      .decide(REPLY_TEMPLATES_ID, context, (all) => saveReplyTemplate(all, { name: 'Wallet', text: `Text ${n}` }))
    const link = { token: 't', tokenHash: 'h', expiresAt: 1_900_000_000_000 }
    const destination = { email: `jo${n}@mail.example` }
    await repositories
      .of(destinationStreams)
      .decide(trader.id, context, (saved) =>
        saveDestination(saved, { destinationId: `d${n}`, method: 'paypal', name: 'Mine', destination, ...link }),
      )
    await repositories.of(firmAccounts).decide(FIRM_ACCOUNT_ID, context, (from) => [
      {
        type: 'FirmAccountChanged',
        data: { from, to: { name: `Firm ${n}`, iban: 'DE89370400440532013000', bic: '' } },
      },
    ])
    const offered = programmeId.parse(`attacked-${n}`)
    await repositories
      .of(offerStreams)
      .decide(OFFERS_ID, context, (offers) => addOffers(offers, [offered], { price: '$1', purchaseUrl: null }))
    await repositories.of(calendarStreams).decide(CALENDAR_ID, context, () => [
      {
        type: 'CalendarEntryPublished',
        data: {
          entry: 'rates',
          at: moment.parse(`2026-11-0${n + 1}T19:00:00Z`),
          currency: 'USD',
          impact: 'high',
          title: 'Rates',
        },
      },
    ])
    await repositories
      .of(setupStreams)
      .decide(SETUP_ID, context, () => [{ type: 'MailTested', data: { outcome: 'sent' } }])
    await repositories.of(firmStreams).decide(FIRM_ID, context, (state) => changeFirm(state, { name: `Name ${n}` }))
    await repositories.of(coinCodes).decide(COIN_CODES_ID, context, (from) => setCoinCodes(from, { TRC20: `TRX${n}` }))
    await repositories.of(apiKeyStreams).decide('attackedkey', context, () => [
      {
        type: 'ProgramKeyIssued',
        data: { name: `Shop ${n}`, scopes: ['enrolments'], keyHash: 'ab', expiresAt: 1_900_000_000_000 },
      },
    ])
    const buyer = userId.parse(trader.id)
    await repositories
      .of(orderStreams)
      .decide('a'.repeat(64), context, () => [{ type: 'OrderAssigned', data: { trader: buyer } }])
    await repositories.of(untakenOrders).decide(untakenOrderId(orderId.parse('a'.repeat(64)), 1), context, (order) =>
      refuseOrder(order, {
        ...{ order: orderId.parse('a'.repeat(64)), reason: 'retired', programme: `programme-${n}`, content: `${n}` },
        ...{ emailHash: 'e', orderNumber: 'WC-1', email: 'grace@example.com', fullName: 'Grace Hopper' },
      }),
    )
    const amount = toCents(100 * (n + 1))
    const payout = payoutId.parse(`${trader.id}-a1-p${n + 1}`)
    const item = { payoutId: payout, reference: `${payout}-1`, amount }
    await repositories.of(batchStreams).decide('attackedbatch', context, ({ state }) => [
      state === 'none'
        ? {
            type: 'BatchMade',
            data: {
              format: 'csv',
              currency: 'USD',
              rate: null,
              rateSource: null,
              items: [item],
              member: adminKeyId.parse(member.id),
            },
          }
        : { type: 'BatchItemRemoved', data: { ...item, reason: `Attempt ${n}` } },
    ])
    const counts = { recorded: n, duplicate: 0, refused: 0, conflict: 0 }
    const mapping = { delimiter: ',', decimal: null, zone: null, dates: null, server: null, columns: {} } as const
    const read = { kind: 'days', account: null, mapping, sha256: '', rowsSha256: '', counts } as const
    await repositories
      .of(importStreams)
      .decide('attackedimport', context, () => [{ type: 'ImportPreviewed', data: read }])
    await seal(parts)
  }
  await admin.patch(account, { status: 'breached', reason: 'Lost too much' })
  await portal.mailed()
  await seal(parts)
  await portal.stop()
  return trader.id
}

/** A copy of an installation, until the end of the test. */
function copied(from = folder): string {
  const copy = mkdtempSync(`${from}-`)
  cpSync(from, copy, { recursive: true })
  onTestFinished(() => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }))
  return copy
}

async function withParts<Result>(
  dataDir: string,
  work: (parts: Dependencies) => Promise<Result>,
  variables = settings,
): Promise<Result> {
  const parts = await openDependencies(readConfig({ ...variables, DATA_DIR: dataDir }), pino({ level: 'silent' }))
  try {
    return await work(parts)
  } finally {
    await parts.close()
  }
}

/** Writes to a file, as an attacker would. */
function tamper(path: string, work: (database: Libsql.Database) => void): void {
  const database = new Libsql(path)
  work(database)
  database.close()
}

/** The events of the longest stream of a kind. */
function streamOf(kind: string, log = original): readonly StoredEvent[] {
  const names = new Set(log.flatMap(({ stream }) => (parseStreamName(stream).category === kind ? [stream] : [])))
  const [longest = []] = [...names]
    .map((name) => log.filter(({ stream }) => stream === name))
    .toSorted((one, other) => other.length - one.length)
  return longest
}

interface Attacked {
  readonly database: Libsql.Database
  readonly stream: string
  readonly events: readonly StoredEvent[]
  readonly last: StoredEvent
}

interface Attack {
  /** How many events a stream must have for it. */
  readonly least: number
  /** Whether the stream itself stays as it was, so that only verification finds it. */
  readonly isLoaded?: true
  /** Whether what was sealed is still there, so that it is exported as it was. */
  readonly isWhole?: true
  run(attacked: Attacked): void
}

const at = ({ position }: StoredEvent) => `position = ${position}`
const append = 'INSERT INTO events SELECT (SELECT max(position) + 1 FROM events), ?, ?, ?, ?, ?, ?'
const unsigned = ({ metadata }: StoredEvent, before: StoredEvent | undefined) =>
  metadata.replace(
    /,"mac":.*$/,
    `,"previous":${before ? `"${eventHash(before.stream, before.revision, before)}"` : 'null'}}`,
  )

const attacks: Readonly<Record<string, Attack>> = {
  'its last event dropped': {
    least: 1,
    run: ({ database, last }) => database.exec(`DELETE FROM events WHERE ${at(last)}`),
  },
  'rewound to its first event': {
    least: 2,
    run: ({ database, stream }) => database.exec(`DELETE FROM events WHERE stream = '${stream}' AND revision > 0`),
  },
  'every event dropped': {
    least: 1,
    run: ({ database, stream }) => database.exec(`DELETE FROM events WHERE stream = '${stream}'`),
  },
  'its first event dropped': {
    least: 2,
    run: ({ database, stream }) => database.exec(`DELETE FROM events WHERE stream = '${stream}' AND revision = 0`),
  },
  'an event dropped in the middle': {
    least: 3,
    run: ({ database, stream }) => database.exec(`DELETE FROM events WHERE stream = '${stream}' AND revision = 1`),
  },
  'other data in its last event': {
    least: 1,
    run: ({ database, last }) => database.exec(`UPDATE events SET data = data || ' ' WHERE ${at(last)}`),
  },
  'another time in its last event': {
    least: 1,
    run: ({ database, last }) =>
      database.exec(`UPDATE events SET metadata = replace(metadata, '"at":1', '"at":2') WHERE ${at(last)}`),
  },
  'another id of its last event': {
    least: 1,
    run: ({ database, last }) =>
      database.exec(`UPDATE events SET id = '00000000-0000-4000-8000-000000000000' WHERE ${at(last)}`),
  },
  'another type of its last event': {
    least: 1,
    run: ({ database, last }) => database.exec(`UPDATE events SET type = 'UserDeleted' WHERE ${at(last)}`),
  },
  'its last two events swapped': {
    least: 2,
    run: ({ database, stream, last }) =>
      database.exec(`
        UPDATE events SET revision = -1 WHERE stream = '${stream}' AND revision = ${last.revision - 1};
        UPDATE events SET revision = revision - 1 WHERE ${at(last)};
        UPDATE events SET revision = ${last.revision} WHERE stream = '${stream}' AND revision = -1`),
  },
  'its last event replaced by the one before': {
    least: 2,
    run: ({ database, stream, last }) =>
      database.exec(
        `UPDATE events SET (type, data, metadata) = (SELECT type, data, metadata FROM events WHERE stream = '${stream}' AND revision = ${last.revision - 1}) WHERE ${at(last)}`,
      ),
  },
  'its last event replaced by one without a MAC': {
    least: 1,
    run: ({ database, events, last }) =>
      database.prepare(`UPDATE events SET metadata = ? WHERE ${at(last)}`).run(unsigned(last, events.at(-2))),
  },
  'its last event exchanged with that of another stream': {
    least: 1,
    run({ database, stream, last }) {
      const other = original.findLast((event) => event.stream !== stream && !event.stream.startsWith('seals-'))
      if (!other) throw new Error('There is no other stream')
      const update = database.prepare('UPDATE events SET id = ?, type = ?, data = ?, metadata = ? WHERE position = ?')
      for (const [to, from] of [
        [last, other],
        [other, last],
      ] as const)
        update.run(from.id, from.type, from.data, from.metadata, to.position)
    },
  },
  'moved to another name': {
    least: 1,
    run: ({ database, stream }) => database.exec(`UPDATE events SET stream = stream || 'x' WHERE stream = '${stream}'`),
  },
  'its last event repeated after it': {
    least: 1,
    isWhole: true,
    run: ({ database, stream, last: { revision, type, data, metadata } }) =>
      database.prepare(append).run(stream, revision + 1, crypto.randomUUID(), type, data, metadata),
  },
  'an event without a MAC inserted after it': {
    least: 1,
    isWhole: true,
    run: ({ database, stream, last }) =>
      database
        .prepare(append)
        .run(stream, last.revision + 1, crypto.randomUUID(), last.type, last.data, unsigned(last, last)),
  },
  'its last event moved to the end of the log': {
    least: 1,
    isLoaded: true,
    run: ({ database, last }) =>
      database.exec(`UPDATE events SET position = (SELECT max(position) + 1 FROM events) WHERE ${at(last)}`),
  },
  'its first event moved before the beginning of the log': {
    least: 1,
    run: ({ database, stream }) =>
      database.exec(`UPDATE events SET position = -1 WHERE stream = '${stream}' AND revision = 0`),
  },
}

/** A stream is not loaded by a process that has not loaded it yet. */
async function load(kind: string, parts: Dependencies, id: string): Promise<unknown> {
  const options = { sealedHeads: parts.streamHeads, secrets: parts.secrets }
  return kinds.get(kind)?.(createRepositories(eventRegistry, parts.eventStore, parts.personKeys, options), id)
}

const refusals = [MissingEvents, ForgedEvent, AlteredLog, LostSeals, BadConfiguration]
const isRefusal = (error: unknown) => refusals.some((refusal) => error instanceof refusal)
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Seals something new. */
async function sealMore(parts: Dependencies): Promise<number> {
  await parts.repositories
    .of(noticeStreams)
    .decide('attacks0', context, ({ upTo }) => [{ type: 'NoticesSeen', data: { upTo: upTo + 1 } }])
  return seal(parts)
}

/** How many entries a genuine export proves, or why there is none. */
async function exported(parts: Dependencies, id: string): Promise<unknown> {
  try {
    const owner = id.includes('-') ? ownerOf(accountId.parse(id)) : userId.parse(id)
    const sealed = await parts.transparencyLog.newest()
    const timeline = await createAccountTimelines(parts).of(owner)
    if (!timeline) return 'refused'
    const file = accountExport(
      {
        account: accountIdOf(owner, 1),
        sealed,
        streams: timeline.streams,
        events: (await timeline.withNews(timeline.exportedEntries)).map(({ stored }) => stored),
        withholdsMetadata: () => false,
        disclosuresOf: (some) => timeline.readDisclosures(some),
      },
      parts,
    )
    const verdict = await verifyExport((await collect(file)).join(''))
    return verdict.outcome === 'genuine' ? verdict.proven : verdict.outcome
  } catch (error) {
    if (isRefusal(error) || error instanceof Unavailable || error instanceof RangeError) return String(error)
    throw error
  }
}

it('are all kinds of streams', () => {
  expect([...kinds.keys()].map((kind) => `${kind}-`).toSorted()).toEqual([...streamPrefixes].toSorted())
  for (const kind of kinds.keys()) expect([kind, streamOf(kind).length]).not.toEqual([kind, 0])
})

const idIn = ({ stream }: StoredEvent) => parseStreamName(stream).id

/** The process refuses the stream, and a verification finds what is wrong. */
async function expectMet(
  kind: string,
  parts: Dependencies,
  last: StoredEvent,
  { isLoaded, isWhole }: Pick<Attack, 'isLoaded' | 'isWhole'> = {},
): Promise<void> {
  const refused =
    (await errorOf(load(kind, parts, idIn(last)))) ?? (kind === 'seals' && (await errorOf(sealMore(parts))))
  if (!isLoaded) expect(refused).toSatisfy(isRefusal)
  if (kind === 'user' || kind === 'account')
    expect(await exported(parts, idIn(last))).toEqual(isWhole ? whole : expect.any(String))
  expect((await verified(parts)).finding).not.toBeNull()
}

/** The same in another process, which may not even start. */
async function expectMetAfterRestart(
  dataDir: string,
  meet: (parts: Dependencies) => Promise<void>,
  variables = settings,
) {
  const refused = await errorOf(withParts(dataDir, prepareDecisions, variables))
  if (refused) return expect(refused).toSatisfy(isRefusal)
  const work = async (parts: Dependencies) => {
    await prepareDecisions(parts)
    await meet(parts)
  }
  return withParts(dataDir, work, variables)
}

const always = ['account', 'seals']
const offset = seededRandom().whole(0, 1_000)

/** Of two lists every pair whose numbers meet: so all of both are tried, and in test:long each with each. */
const areMet = (one: number, other: number, every: number) => triesAll || (one + other + offset) % every === 0

describe.each([...kinds.keys()].map((kind, index) => ({ kind, index })))(
  'a stream of the kind $kind',
  ({ kind, index }) => {
    it('is loaded, verified and exported as it is', async () => {
      const [first] = streamOf(kind)
      if (!first) throw new Error('There is no such stream')
      await withParts(copied(), async (parts) => {
        await prepareDecisions(parts)
        await load(kind, parts, idIn(first))
        expect((await verified(parts)).finding).toBeNull()
        if (kind === 'user' || kind === 'account') expect(await exported(parts, idIn(first))).toBe(whole)
      })
    })

    it.for(Object.entries(attacks).filter((_, n) => always.includes(kind) || areMet(index, n, 6)))(
      'is refused, with and without a restart: %s',
      async ([, { least, run, ...attack }], { skip }) => {
        const events = streamOf(kind)
        const last = events.at(-1)
        if (!last || events.length < least) return skip('its stream has fewer events')
        if (kind === 'seals' && attack.isLoaded) return skip('the checkpoint at its end waits for the next one')
        const meet = (parts: Dependencies) => expectMet(kind, parts, last, attack)
        const copy = copied()
        await withParts(copy, async (parts) => {
          await prepareDecisions(parts)
          tamper(embeddedPaths.events(copy), (database) => run({ database, stream: last.stream, events, last }))
          await meet(parts)
        })
        await expectMetAfterRestart(copy, meet)
      },
    )
  },
)

/** What is done to the stored tree over the log, with its ends of streams. It is never trusted, and made again. */
const treeAttacks: Readonly<Record<string, string>> = {
  'every block dropped': 'DELETE FROM blocks',
  'its state dropped': 'DELETE FROM state',
  'everything dropped': 'DELETE FROM blocks; DELETE FROM state',
  'set back to its first leaves': "UPDATE state SET size = 10, pending = 10, position = '10', checkpoint = '10'",
  'said to be longer': 'UPDATE state SET size = size + 5',
  'every block replaced': 'UPDATE blocks SET content = zeroblob(length(content))',
  'the ends of streams replaced':
    'UPDATE blocks SET content = zeroblob(length(content)) WHERE key >= 16 * 1099511627776',
  'the ends of streams dropped': 'DELETE FROM blocks WHERE key >= 16 * 1099511627776',
  'two blocks swapped':
    'UPDATE blocks SET content = CASE key WHEN 0 THEN (SELECT content FROM blocks WHERE key = 1) ELSE (SELECT content FROM blocks WHERE key = 0) END WHERE key IN (0, 1)',
  'blocks inserted': 'INSERT INTO blocks SELECT key + 100000, size, content FROM blocks WHERE key < 100',
}

describe('the stored tree', () => {
  it.each(Object.entries(treeAttacks))('proves nothing wrong, with and without a restart: %s', async (_, change) => {
    const id = parseStreamName(streamOf('account')[0]?.stream ?? '').id
    const copy = copied()
    /** A file proves all, or is not made. */
    const meet = async (parts: Dependencies) => {
      const proven = await exported(parts, id)
      if (typeof proven === 'number') expect(proven).toBe(whole)
      expect((await verified(parts)).finding).toBeNull()
    }
    await withParts(copy, async (parts) => {
      await prepareDecisions(parts)
      tamper(embeddedPaths.tree(copy), (database) => database.exec(change))
      await meet(parts)
    })
    await withParts(copy, async (parts) => {
      await prepareDecisions(parts)
      await meet(parts)
      expect(await sealMore(parts)).toBe(1)
      expect(await exported(parts, id)).toBe(whole)
    })
  })
})

describe('a log on EventStoreDB, whose files someone has written to', () => {
  type Change = (event: LoggedEvent, last: LoggedEvent) => readonly LoggedEvent[]
  const changes: Readonly<Record<string, Change>> = {
    'its last event dropped': (event, last) => (event.revision === last.revision ? [] : [event]),
    'rewound to its first event': (event) => (event.revision > 0 ? [] : [event]),
    'every event dropped': () => [],
    'other data in its last event': (event, last) => [
      // A field more: blanks are lost where JSON is read.
      event.revision === last.revision
        ? { ...event, data: Buffer.from(`{"x":1,${String(event.data).slice(1)}`) }
        : event,
    ],
  }
  let server: EventStoreDouble
  let firm: string
  let written: readonly LoggedEvent[]
  let log: readonly StoredEvent[]
  const variables = () => ({ ...settings, EVENTSTORE_URL: server.url })

  /** Its files have these events, as if there had never been others. */
  const rewrite = (events: readonly LoggedEvent[]) => {
    server.log.wipe()
    for (const event of events) if (!event.stream.startsWith('$')) server.log.append(event.stream, 'any', [event])
  }

  beforeAll(async () => {
    server = await startDouble()
    firm = await mkdtemp(join(tmpdir(), 'proofdesk-attacks-'))
    await writeFirm(firm, variables())
    log = await withParts(firm, storedEvents, variables())
    written = [...server.log.events]
  }, 60_000)

  afterAll(async () => {
    await server.close()
    await rm(firm, { recursive: true, force: true, maxRetries: 5 })
  })

  it('is as it was when nothing is lost', async () => {
    rewrite(written)
    const account = streamOf('account', log)[0]
    if (!account) throw new Error('There is no account')
    const unaltered = async (parts: Dependencies) => {
      await prepareDecisions(parts)
      for (const kind of kinds.keys())
        for (const event of streamOf(kind, log).slice(0, 1)) await load(kind, parts, idIn(event))
      expect((await verified(parts)).finding).toBeNull()
      expect(await exported(parts, idIn(account))).toBeGreaterThan(10)
      expect(await sealMore(parts)).toBe(1)
    }
    await withParts(copied(firm), unaltered, variables())
  })

  describe.each(Object.entries(changes).map(([name, change], index) => ({ name, change, index })))(
    '$name',
    ({ change, index }) => {
      it.for([...kinds.keys()].filter((kind, n) => kind === 'account' || areMet(index, n, 3)))(
        'is refused, with and without a restart: a stream of the kind %s',
        async (kind, { skip }) => {
          const last = streamOf(kind, log).at(-1)
          const logged = written.findLast(({ stream }) => stream === last?.stream)
          if (!last || !logged) throw new Error('There is no such stream')
          const kept = written.flatMap((event) => (event.stream === last.stream ? change(event, logged) : [event]))
          if (kept.every((event, n) => event === written[n]) && kept.length === written.length)
            return skip('it has its first event only')
          const meet = (parts: Dependencies) => expectMet(kind, parts, last)
          rewrite(written)
          const copy = copied(firm)
          const attacked = async (parts: Dependencies) => {
            await prepareDecisions(parts)
            rewrite(kept)
            await meet(parts)
          }
          await withParts(copy, attacked, variables())
          await expectMetAfterRestart(copy, meet, variables())
        },
      )
    },
  )
})
