import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import { createHistory, type HistoryEntry, type Operation } from '../demo/history.ts'
import { createLogWriter } from '../demo/log-writer.ts'
import { createPeopleGenerator } from '../demo/people.ts'
import { createRandom, type Random } from '../demo/random.ts'
import type { AccountChanges } from '#services/trading/stream/account.ts'
import {
  accountIdOf,
  accountOf,
  adminKeyId,
  batchId,
  ownerOf,
  type PayoutId,
  payoutId,
  type UserId,
  userId,
} from '#services/framework/ids.ts'
import type { PaymentMove } from '#services/trading/stream/payment.ts'
import type { PayoutMethod } from '#services/trading/stream/payout.ts'
import { payoutMethods } from '#services/trading/stream/payout-vocabulary.ts'
import { toCents } from '#services/rules/money.ts'
import type { Profile } from '#services/identity/users/user-vocabulary.ts'
import { encrypt } from '#services/event-sourcing/crypto-shredding/cipher.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { withDependencies } from '#test-support/stores.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { Settings } from './figures.ts'
import { projectAll, scratchFolder } from './programs.ts'

/** Logs of large firms, written into new data folders. */

const SEED = Number(process.env['BENCH_SEED'] ?? 20_260_401)
const START = Date.UTC(2026, 0, 1)
const EVENTS_A_TRADER = 50
const adminActor = { kind: 'admin', id: '0123456789abcdef0123456789abcdef', label: 'Dana, payouts desk' } as const

const person = z.object({ fullName: z.string(), email: z.string() })
/** What searches look for. */
export type Person = z.infer<typeof person>

/** A data folder with so many users, all visible, and some of them. */
export function largeFirm({ users, say }: Settings): Promise<PreparedFolder<Person[]>> {
  return visible(`users-${users}`, z.array(person), say, (dataDir) => writeLargeFirm(dataDir, users))
}

/** A data folder with so many events about traders to whom much happens, all visible. */
export function busyFirm({ events, say }: Settings): Promise<PreparedFolder<null>> {
  return visible(`events-${events}`, z.null(), say, async (dataDir) => {
    await writeBusyFirm(dataDir, events)
    return null
  })
}

const PAYOUTS_A_TRADER = 10

/** A data folder with so many payouts in every state, all visible, and one of its traders, accounts and batches. */
export function payingFirm(payouts: number, { say }: Pick<Settings, 'say'>): Promise<PreparedFolder<PayingFirm>> {
  const traders = Math.ceil(payouts / PAYOUTS_A_TRADER)
  return visible(`payouts-${payouts}`, payingFirmSample, say, (dataDir) => writePayingFirm(dataDir, traders))
}

/** A folder with a log that is projected too. */
function visible<Result>(
  name: string,
  schema: z.ZodType<Result>,
  say: Settings['say'],
  write: (dataDir: string) => Promise<Result>,
): Promise<PreparedFolder<Result>> {
  return prepared(name, schema, async (dataDir) => {
    say(`writing a log: ${name}`)
    const result = await write(dataDir)
    say('projecting it')
    await projectAll(dataDir)
    return result
  })
}

const payingFirmSample = z.object({
  person,
  userId: z.string(),
  batch: z.string(),
  /** When the requests began and ended, in ms. */
  from: z.number(),
  until: z.number(),
})
type PayingFirm = z.infer<typeof payingFirmSample>

interface PreparedFolder<Result> {
  readonly dataDir: string
  readonly result: Result
}

/** Fills a folder. BENCH_DATA keeps it there for later runs, for a million users take a quarter of an hour. */
export async function prepared<Result>(
  name: string,
  schema: z.ZodType<Result>,
  fill: (dataDir: string) => Promise<Result>,
): Promise<PreparedFolder<Result>> {
  const kept = process.env['BENCH_DATA']
  if (kept === undefined) {
    const dataDir = scratchFolder(name)
    return { dataDir, result: await fill(dataDir) }
  }
  const dataDir = join(kept, `${name}-seed-${SEED}`)
  const finished = join(dataDir, 'bench.json')
  if (!existsSync(finished)) {
    // An interrupted run leaves a part.
    rmSync(dataDir, { recursive: true, force: true })
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(finished, JSON.stringify(await fill(dataDir)))
  }
  return { dataDir, result: schema.parse(JSON.parse(readFileSync(finished, 'utf8'))) }
}

/**
 * A log of so many events about traders to whom much happens: each has `each` events on average. Returns the traders.
 */
export async function writeBusyFirm(
  dataDir: string,
  events: number,
  each = EVENTS_A_TRADER,
): Promise<readonly UserId[]> {
  return writeLog(dataDir, Math.ceil(events / each), async ({ ids, profiles, random, perform, written }) => {
    let joined = 0
    while (written() < events) {
      if (joined * each <= written()) {
        const [id, profile] = [ids[joined], profiles()]
        if (id) for (const operation of joining(id, profile, random)) await perform(operation)
        joined += 1
        continue
      }
      const id = ids[random.whole(0, joined - 1)]
      if (id) await perform(anything(id, random))
    }
    return ids
  })
}

/** A log of so many users, with two accounts on average, to whom little happens. Returns some of them, for searches. */
async function writeLargeFirm(dataDir: string, users: number): Promise<Person[]> {
  return writeLog(dataDir, users, async ({ ids, profiles, random, perform, forget }) => {
    const some: Person[] = []
    for (const [n, id] of ids.entries()) {
      const profile = profiles()
      if (n % Math.ceil(users / 100) === 0) some.push({ fullName: profile.fullName, email: profile.email })
      const [register, open] = joining(id, profile, random)
      const of = { at: START + n, userId: id }
      const changes: AccountChanges = {
        balance: toCents(random.whole(1, 100_000_000)),
        ...(n % 40 < 20 && { status: statusOf(n) }),
      }
      if (register && open) for (const operation of [register, open]) await perform(operation)
      if (n % 2 === 0) await perform({ ...of, kind: 'change account', by: 'risk desk', changes })
      for (let account = 2; account <= 1 + (n % 3); account++) {
        const login = { login: String(10_000_000 + n * 10 + account), server: 'Live-1' }
        await perform({ ...of, account, kind: 'open account' })
        await perform({ ...of, account, kind: 'change account', by: 'risk desk', changes: { ...login, ...changes } })
      }
      if (n % 200 === 0) await perform({ ...of, kind: 'ban', reason: 'Traded the news' })
      if (n % 1_000 === 999) await forget()
    }
    return some
  })
}

/** Traders with ten payouts each, by all methods, whose payments are in every state. */
async function writePayingFirm(dataDir: string, traders: number): Promise<PayingFirm> {
  return writeLog(dataDir, traders, async ({ ids, profiles, random, perform, forget }) => {
    const from = (clock += 1)
    let sample: PayingFirm | undefined
    let approved: { readonly id: PayoutId; readonly method: PayoutMethod }[] = []
    for (const [n, id] of ids.entries()) {
      const profile = profiles()
      for (const operation of joining(id, profile, random)) await perform(operation)
      for (let payout = 1; payout <= PAYOUTS_A_TRADER; payout++) {
        const { method, ...where } = random.pick(destinations(profile))
        const of = { userId: id, at: (clock += random.whole(1, 300_000)) }
        await perform({ ...of, kind: 'request payout', amount: random.whole(100, 500_000), method, ...where })
        const chance = random.next()
        const decision = { ...of, kind: 'decide payout', payout, verdict: 'approved', notes: '' } as const
        if (chance < 0.05) continue
        if (chance < 0.06) await perform({ ...decision, approver: firstOfTwo })
        else if (chance < 0.09) await perform({ ...of, kind: 'withdraw payout', payout })
        else if (chance < 0.17) await perform({ ...decision, verdict: 'rejected', notes: 'Please ask again' })
        else {
          await perform(decision)
          if (chance > 0.25) approved.push({ id: payoutId.parse(`${accountIdOf(id, 1)}-p${payout}`), method })
        }
      }
      if (n % 500 < 499 && n < ids.length - 1) continue
      for (const method of payoutMethods) {
        const paid = approved.flatMap((each) => (each.method === method ? each.id : []))
        const batch = await payBatch(paid, { random, perform })
        sample = { person: { fullName: profile.fullName, email: profile.email }, userId: id, batch, from, until: clock }
      }
      approved = []
      await forget()
    }
    if (!sample) throw new Error('There are no traders')
    return sample
  })
}

/** A batch of which most is paid. Returns its id. */
async function payBatch(
  payouts: readonly PayoutId[],
  { random, perform }: Pick<Firm, 'random' | 'perform'>,
): Promise<string> {
  const batch = batchId.parse(random.letters(16))
  const of = () => ({ at: (clock += 1), keyId: MAKER })
  await perform({ ...of(), kind: 'make batch', batch, format: 'csv', rate: null, rateSource: null, payouts })
  // One of ten waits for its release.
  if (random.next() < 0.1) return batch
  await perform({ ...of(), kind: 'release batch', batch, keyId: RELEASER })
  for (const id of payouts) {
    const move = (to: PaymentMove) =>
      perform({ at: (clock += 1), kind: 'move payment', userId: ownerOf(accountOf(id)), payoutId: id, move: to })
    const chance = random.next()
    if (chance < 0.05) continue
    await move(chance < 0.07 ? { kind: 'fail', reason: 'AC04, the account is closed' } : { kind: 'confirm' })
    if (chance > 0.99) await move({ kind: 'return', reason: 'BE01, the name is not that of the account' })
  }
  return batch
}

const [MAKER, RELEASER] = ['a'.repeat(32), 'b'.repeat(32)]
const firstOfTwo = { member: adminKeyId.parse(MAKER), secondApprovalAbove: toCents(1), lapsed: null }

function destinations({ fullName, email }: Profile) {
  return [
    { method: 'bank', details: '', destination: { holder: fullName, iban: 'DE89370400440532013000' } },
    { method: 'paypal', details: '', destination: { email } },
    { method: 'skrill', details: '', destination: { email } },
    { method: 'crypto', details: 'USDT 0x9d3e51aa70c4b0f2d81bb6f4a1c2e7d9f0a4b3c5', destination: null },
  ] as const
}

function statusOf(n: number): AccountChanges['status'] {
  if (n % 400 === 0) return 'breached'
  return n % 10 === 0 ? 'under-review' : 'active'
}

interface Firm {
  readonly ids: readonly UserId[]
  readonly random: Random
  profiles(): Profile
  /** Leaves out what a decider refuses. */
  perform(operation: Operation): Promise<void>
  /** How many events there are so far. */
  written(): number
  /** Drops the state of all users so far: nothing more happens to them. */
  forget(): Promise<void>
}

function writeLog<Result>(dataDir: string, users: number, write: (firm: Firm) => Promise<Result>): Promise<Result> {
  return withDependencies({ DATA_DIR: dataDir, ADMIN_ACCESS_KEY: ADMIN_KEY }, async (parts) => {
    const random = createRandom(SEED)
    const ids = Array.from({ length: users }, () => userId.parse(random.letters(16)))
    addPersonKeys(parts, ids)
    const people = createPeopleGenerator(random)
    const actorOf = ({ by, operation }: HistoryEntry) =>
      by === 'trader' && 'userId' in operation ? ({ kind: 'trader', id: operation.userId } as const) : adminActor
    const begin = () => ({
      history: createHistory({
        passwordHash: `$argon2id$v=19$m=19456,t=2,p=1$${'x'.repeat(22)}$${'y'.repeat(43)}`,
        emailClaimOf: (email) => parts.secrets.emailHash(email),
        loginClaimOf: (server, login) => parts.secrets.platformLoginHash(server, login),
      }),
      writer: createLogWriter({ ...parts, actorOf }),
    })
    let { history, writer } = begin()
    let written = 0
    const result = await write({
      ids,
      random,
      profiles: people.randomPerson,
      written: () => written,
      async perform(operation) {
        const entries = accepted(() => history.perform(operation))
        for (const { events } of entries) written += events.length
        await writer.write(entries)
      },
      async forget() {
        await writer.flush()
        ;({ history, writer } = begin())
      },
    })
    await writer.flush()
    return result
  })
}

function accepted(perform: () => HistoryEntry[]): HistoryEntry[] {
  try {
    return perform()
  } catch (error) {
    if (error instanceof Refused) return []
    throw error
  }
}

/** All keys in one transaction: a commit for each of a million would take half an hour. */
function addPersonKeys({ config, secrets }: Dependencies, ids: readonly string[]): void {
  const database = openSqlite(embeddedPaths.keys(config.dataDir), { part: 'key store', durability: 'full' })
  const insert = database.statement('INSERT INTO keys (id, wrapped, destroyed) VALUES (?, ?, 0)')
  database.transaction(() => {
    for (const id of ids) insert.run(id, encrypt(secrets.wrappingKey, randomBytes(32), id))
  })
  database.close()
}

let clock = START

function joining(id: UserId, profile: Profile, random: Random): Operation[] {
  const of = { at: (clock += 1), userId: id }
  const login = { login: String(random.whole(10_000_000, 99_999_999)), server: 'Live-1', masterPassword: 's3cret' }
  const changes = { ...login, balance: toCents(5_000_000), payoutEnabled: true, status: 'active' } as const
  return [
    { ...of, kind: 'register', profile },
    { ...of, kind: 'open account' },
    { ...of, kind: 'change account', by: 'risk desk', changes },
  ]
}

/** The next thing that happens to a trader, mostly to their money. */
function anything(id: UserId, random: Random): Operation {
  const of = { at: (clock += 1), userId: id }
  const change = { ...of, kind: 'change account', by: 'risk desk' } as const
  const [chance, value] = [random.next(), random.whole(1, 10_000_000)]
  if (chance < 0.38) return { ...change, changes: { balance: toCents(value) } }
  if (chance < 0.58) return { ...change, changes: { profitLoss: toCents(value) } }
  const details = 'IBAN DE89 3704 0044 0532 0130 00'
  if (chance < 0.73) return { ...of, kind: 'request payout', amount: random.whole(100, 5_000), method: 'bank', details }
  if (chance < 0.85) {
    const verdict = random.next() < 0.75 ? 'approved' : 'rejected'
    return { ...of, kind: 'decide payout', payout: random.whole(1, 10), verdict, notes: 'Checked by the payouts desk' }
  }
  if (chance < 0.89) return { ...change, changes: { phase: `Phase ${value}` } }
  if (chance < 0.93) return { ...change, changes: { dailyDrawdownLimit: `5% / $${value}` } }
  if (chance < 0.95) return { ...of, kind: 'change profile', changes: { city: `City ${value}` } }
  if (chance < 0.98)
    return { ...of, kind: 'issue certificate', title: 'Phase 1 passed', content: Buffer.from(`certificate ${value}`) }
  return value % 2 === 0 ? { ...of, kind: 'ban', reason: 'Traded the news' } : { ...of, kind: 'unban' }
}
