import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Payout, System } from '../api/index.ts'
import { HIDDEN } from '../domain/event-description.ts'
import { type Answer, type Browser, browser } from '../../test-support/http-client.ts'
import { searchFolder } from '../../test-support/byte-search.ts'
import { registration } from '../../test-support/portal.ts'
import { runCommand } from '../../test-support/command-line.ts'
import { buildProgram, startProgram, temporaryFolder } from '../../test-support/program.ts'
import { until } from '../../test-support/until.ts'

/** Data made by an earlier version opens, and answers what that version answered: see the README beside the fixtures. */

beforeAll(buildProgram, 600_000)

const fixtures = fileURLToPath(new URL('../../test-support/fixtures/e747b87', import.meta.url))
const json = (name: string): unknown => JSON.parse(readFileSync(join(fixtures, name), 'utf8'))

const recordedReads = z.array(z.object({ as: z.string(), path: z.string(), status: z.int(), total: z.int().optional(), answer: z.unknown() }))
type RecordedRead = z.infer<typeof recordedReads>[number]

const verification = z.object({ facts: z.int(), seals: z.int(), unsealed: z.int(), sealedUpTo: z.string(), finding: z.null() })

const recordedFolder = z.object({
  /** When the reads were recorded, in ms since 1970. */
  at: z.int(),
  /** How many events are in the folder, and how many once a portal has opened it and sent what waited. */
  events: z.object({ stored: z.int(), opened: z.int() }),
  mail: z.object({ sent: z.int(), failed: z.int() }),
  verified: verification,
  reads: recordedReads,
})
type RecordedFolder = z.infer<typeof recordedFolder>

const expected = z
  .object({
    stopped: recordedFolder,
    killed: recordedFolder,
    exports: z.record(z.string(), z.object({ problems: z.array(z.string()), keyIds: z.array(z.string()), facts: z.int(), proven: z.int() })),
  })
  .parse(json('expected.json'))

/** What `verify` says of an export. */

const credentials = z.object({ email: z.string(), password: z.string() })
const cookies = z.record(z.string(), z.record(z.string(), z.string()))

const { stopped, killed } = z
  .object({
    stopped: z.object({
      secrets: z.object({
        masterKey: z.string(),
        firstAdminKey: z.string(),
        secondAdminKey: z.string(),
        auditorKey: z.string(),
        revokedAdminKey: z.string(),
        ada: credentials,
        clara: credentials,
        eve: credentials.extend({ resetToken: z.string() }),
      }),
      cookies,
      repeatable: z.object({ key: z.string(), body: z.unknown(), id: z.string() }),
    }),
    killed: z.object({ secrets: z.object({ firstAdminKey: z.string(), ida: credentials }), cookies }),
  })
  .parse(json('secrets.json'))

/** What must be nowhere in the bytes: both were deleted before the data was kept. */
const erased = {
  clara: { name: 'Schumannova', email: stopped.secrets.clara.email, 'payment details': 'IBAN of Clara', certificate: 'Phase 1 passed by Clara' },
  ida: { name: 'Ida Rhodes', email: killed.secrets.ida.email, 'master password': 'master-Ida', certificate: 'Certificate of Ida' },
}

/** The clock goes on a minute after the reads were recorded, when every lease of that version has ended and no session has. */
const shortlyAfter = ({ at }: RecordedFolder) => ({
  TEST_CLOCK: String(at + 60_000),
  NODE_OPTIONS: `--import=${new URL('../../test-support/clock.mjs', import.meta.url).href}`,
  SEAL_SECONDS: '86400',
})

describe('data of version e747b87', () => {
  it('from a stopped portal is read, rebuilt and continued', async () => {
    const { secrets } = stopped
    const dataDir = await unpacked('stopped')
    const environment = { ...shortlyAfter(expected.stopped), DATA_DIR: dataDir, MASTER_KEY: secrets.masterKey, ADMIN_ACCESS_KEY: secrets.firstAdminKey }
    expect(await verify(environment)).toEqual(expected.stopped.verified)
    const portal = await startProgram({ dataDir, environment })
    const as = signedIn(portal.url, stopped.cookies)
    await expectOpened(as, expected.stopped)
    await expectAnswers(as, expected.stopped.reads, { downloads: false })

    expect(await runCommand(['rebuild', 'all'], environment)).toMatchObject({ code: 0, stderr: '' })
    await expectAnswers(as, expected.stopped.reads)

    // Passwords, keys, tokens and what was asked once before are known as they were.
    const { repeatable } = stopped
    const repeated = await as('trader').post('/api/user/payouts', repeatable.body, { headers: { 'idempotency-key': repeatable.key } })
    expect(repeated).toMatchObject({ status: 201, body: { id: repeatable.id } })
    const { ada, clara, eve, firstAdminKey, secondAdminKey, auditorKey, revokedAdminKey } = secrets
    const stranger = browser(portal.url)
    const logins = await Promise.all([ada, clara].map(({ email, password }) => stranger.post('/api/login', { email, password })))
    expect(logins.map(({ status }) => status)).toEqual([200, 401])
    const keys = [firstAdminKey, secondAdminKey, auditorKey, revokedAdminKey]
    expect(await statuses(keys.map((accessKey) => browser(portal.url).post('/api/admin/login', { accessKey })))).toEqual([200, 200, 200, 401])
    expect((await stranger.post('/api/reset-password', { token: eve.resetToken, password: 'a password of now' })).status).toBe(200)
    expect((await stranger.post('/api/login', { email: eve.email, password: 'a password of now' })).status).toBe(200)
    // An address that is taken, in other letters; and one that a deletion has set free.
    const registrations = [ada.email.toUpperCase(), clara.email].map((email) => browser(portal.url).post('/api/register', { ...registration, email }))
    expect(await statuses(registrations)).toEqual([409, 201])
    const pending = z
      .array(Payout)
      .parse((await as('trader').get('/api/user/payouts')).body)
      .filter(({ status }) => status === 'pending')
    expect(pending).toHaveLength(1)
    for (const { id } of pending) expect((await as('admin').patch(`/api/admin/payouts/${id}`, { status: 'approved' })).status).toBe(200)
    expect(await portal.stop()).toBe(0)

    const after = await verify(environment)
    expect(after.facts).toBeGreaterThan(expected.stopped.events.opened)
    expect(after.seals).toBeGreaterThan(expected.stopped.verified.seals)
    // Her address belongs to the person who has just registered.
    const { email: _free, ...nowhere } = erased.clara
    expect((await searchFolder(dataDir, nowhere)).finds).toEqual([])
  })

  it('from kill -9 under load is recovered and waiting mails are sent', async () => {
    const dataDir = await unpacked('killed')
    const environment = { ...shortlyAfter(expected.killed), DATA_DIR: dataDir, ADMIN_ACCESS_KEY: killed.secrets.firstAdminKey }
    expect(await verify(environment)).toEqual(expected.killed.verified)
    const portal = await startProgram({ dataDir, environment })
    const as = signedIn(portal.url, killed.cookies)
    await expectOpened(as, expected.killed)
    await expectAnswers(as, expected.killed.reads, { downloads: false })
    expect(await runCommand(['rebuild', 'all'], environment)).toMatchObject({ code: 0, stderr: '' })
    await expectAnswers(as, expected.killed.reads)
    expect(await portal.stop()).toBe(0)
    expect((await verify(environment)).seals).toBeGreaterThan(expected.killed.verified.seals)
    expect((await searchFolder(dataDir, erased.ida)).finds).toEqual([])
  })

  it('in a backup is restored and rebuilt, without repeated mails', async () => {
    const { secrets } = stopped
    const backup = await unpacked('backup')
    const dataDir = join(temporaryFolder(), 'restored')
    const environment = { ...shortlyAfter(expected.stopped), DATA_DIR: dataDir, MASTER_KEY: secrets.masterKey, ADMIN_ACCESS_KEY: secrets.firstAdminKey }
    const { stdout, ...ended } = await runCommand(['restore', backup], environment)
    expect(ended).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('WARNING: this backup is NOT authenticated')
    expect(await verify(environment)).toEqual(expected.stopped.verified)
    const portal = await startProgram({ dataDir, environment })
    const [trader, admin] = [browser(portal.url), browser(portal.url)]
    const signIns = [trader.post('/api/login', secrets.ada), admin.post('/api/admin/login', { accessKey: secrets.firstAdminKey })]
    expect(await statuses(signIns)).toEqual([200, 200])
    await opened(admin)
    // No session is in a backup: those of the others are not needed.
    const as = (who: string) => ({ trader, admin })[who] ?? browser(portal.url)
    await expectAnswers(
      as,
      expected.stopped.reads.filter((read) => ['trader', 'admin', 'public'].includes(read.as)),
    )
    expect(await portal.stop()).toBe(0)
    // Nothing old: only the sign-ins of this test may be mailed.
    for (const mail of await readdir(join(dataDir, 'outbox')))
      expect(readFileSync(join(dataDir, 'outbox', mail), 'utf8'), mail).toContain('used in a new browser')
    for (const folder of [backup, dataDir]) expect((await searchFolder(folder, erased.clara)).finds).toEqual([])
  })

  it('in exports of format 1 is refused with the advice to download it again', async () => {
    for (const name of Object.keys(expected.exports)) {
      const { code, stdout } = await runCommand(['verify', join(fixtures, name), '--json'], {})
      expect(code, name).toBe(2)
      expect(stdout, name).toMatch(/download/i)
    }
  })
})

/** The folder of a fixture, as the earlier version left it. */
async function unpacked(name: string): Promise<string> {
  const folder = temporaryFolder()
  await promisify(execFile)('tar', ['-xzf', join(fixtures, `${name}.tar.gz`), '-C', folder])
  return join(folder, name)
}

/** Browsers with the sessions that were open when the data was kept; the public has none. */
function signedIn(url: string, sessions: z.infer<typeof cookies>): (who: string) => Browser {
  return (who) => {
    const one = browser(url)
    for (const [name, value] of Object.entries(sessions[who] ?? {})) one.cookies.set(name, value)
    return one
  }
}

/** How the portal is once everything that opening gives rise to is done. */
async function opened(admin: Browser): Promise<System> {
  const look = async () => System.parse((await admin.get('/api/admin/system')).body)
  const isDone = ({ mail, readers }: System) => mail.waiting === 0 && readers.every(({ caughtUp, rebuild }) => caughtUp && !rebuild)
  await until(async () => isDone(await look()), 'the portal to have opened old data', 60_000)
  // Its numbers are read one after the other: in that answer the newest event may be older than the last mail.
  return look()
}

async function expectOpened(as: (who: string) => Browser, { events, mail }: RecordedFolder): Promise<void> {
  const system = await opened(as('admin'))
  expect({ newest: system.newest, sent: system.mail.sent, failed: system.mail.failed, setAside: system.setAside }).toEqual({
    // Opening also records since when notices are mailed.
    newest: events.opened + 1,
    ...mail,
    setAside: [],
  })
}

async function expectAnswers(as: (who: string) => Browser, reads: readonly RecordedRead[], { downloads = true } = {}): Promise<void> {
  // A download by staff is an event since, which later answers about that account show.
  const isDownload = ({ path }: RecordedRead) => /^\/api\/audit\/accounts\/\w+\/export/.test(path)
  const ordered = [...reads.filter((read) => !isDownload(read)), ...(downloads ? reads.filter(isDownload) : [])]
  for (const read of ordered) expect(inRecord(read, await as(read.as).get(read.path)), `${read.as}: ${read.path}`).toEqual(inWordsOfNow(read))
}

/** A limit has one name now, which labels and evidence use; and staff see a master password only when they ask for it. */
function inWordsOfNow(read: RecordedRead): RecordedRead {
  const hidden = (secret: unknown) => (secret === null || read.as === 'trader' ? secret : HIDDEN)
  const answer: unknown = JSON.parse(JSON.stringify(read.answer), (name, value: unknown) => {
    if (typeof value === 'string')
      return name === 'masterPassword'
        ? hidden(value)
        : value.replaceAll('Overall loss limit', 'Maximum loss limit').replaceAll('Overall Loss: ', 'Maximum Loss: ')
    return read.as !== 'trader' && isObject(value) && value['field'] === 'account.masterPassword'
      ? { ...value, from: hidden(value['from']), to: hidden(value['to']) }
      : value
  })
  return { ...read, answer }
}

/** An answer as it was recorded, without the moment of the request; of a file, its hash. */
function inRecord({ as, path, answer }: RecordedRead, { status, body, text, bytes, headers }: Answer): RecordedRead {
  const [type, total] = [headers.get('content-type'), headers.get('x-total-count')]
  const file = () => ({ type, sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length })
  // Certificates have had a revocation and a public link since, and the tests themselves sign in, which is an event.
  const other = () =>
    type?.startsWith('text/csv')
      ? text.replaceAll(',""revokedAt"":null,""link"":null', '').replaceAll(/^\d+,[^,]*,SignedInFromNewBrowser,.*\r?\n/gm, '')
      : file()
  return {
    as,
    path,
    status,
    ...(total === null ? {} : { total: Number(total) }),
    answer: body === undefined ? other() : asRecorded(answer, withoutMoment(body)),
  }
}

function withoutMoment(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('exportedAt' in body)) return body
  const { exportedAt: _moment, ...rest } = body
  return rest
}

/** An answer with only the fields that were recorded: later versions may add some, but must not drop or change any. */
function asRecorded(recorded: unknown, answer: unknown): unknown {
  if (Array.isArray(recorded) && Array.isArray(answer)) return answer.filter(isNoSignIn).map((one, index) => asRecorded(recorded[index], one))
  if (!isObject(recorded) || !isObject(answer)) return answer
  return Object.fromEntries(Object.entries(answer).flatMap(([name, value]) => (name in recorded ? [[name, asRecorded(recorded[name], value)]] : [])))
}

/** The tests themselves sign in, which is an event since. */
function isNoSignIn(entry: unknown): boolean {
  return !isObject(entry) || entry['type'] !== 'SignedInFromNewBrowser'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function statuses(answers: readonly Promise<Answer>[]): Promise<number[]> {
  return (await Promise.all(answers)).map(({ status }) => status)
}

/** What `audit verify` finds; fails when it is not content. */
async function verify(environment: Readonly<Record<string, string>>): Promise<z.infer<typeof verification>> {
  const { code, stdout, stderr } = await runCommand(['audit', 'verify', '--json'], environment)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return verification.parse(JSON.parse(stdout))
}
