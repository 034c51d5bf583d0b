import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type AuditAccount, AuditState } from '#services/oversight/audit/audit-api.ts'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { Readiness } from '#services/framework/api/health-schemas.ts'
import { definitions } from '#services/oversight/event-catalogue.ts'
import { disclosuresOf, openDisclosure } from '#services/event-sourcing/crypto-shredding/disclosures.ts'
import { type Browser, browser } from '#test-support/http-client.ts'
import { decodeEvents, readLog, withStores } from '#test-support/stores.ts'
import {
  encodings,
  type Match,
  formsOf,
  type SearchResult,
  searchFolder,
  searchText,
} from '#test-support/byte-search.ts'
import { read } from '#test-support/http-calls.ts'
import { runCommand } from '#test-support/command-line.ts'
import { buildProgram, startProgram, temporaryFolder } from '#test-support/program.ts'
import { person, createUserWithAllData, retainedTexts } from '#test-support/erasure-scenario.ts'
import { until } from '#test-support/until.ts'

beforeAll(buildProgram, 600_000)
vi.setConfig({ testTimeout: 180_000 })

describe('the search', () => {
  it('finds a text in every encoding at every offset', async () => {
    const folder = temporaryFolder()
    const text = person['last name']
    for (const [number, { bytes }] of formsOf(text).entries())
      await writeFile(
        join(folder, `form-${number}`),
        Buffer.concat([Buffer.from([0, 1, 2]), bytes, Buffer.from([255])]),
      )
    const { finds, files } = await searchFolder(folder, { text })
    expect(new Set(finds.map(({ file }) => file)).size).toBe(files)
    expect(new Set(finds.map(({ encoding }) => encoding))).toEqual(new Set(encodings))
    const around = ['', 'x', 'xy'].map((before) => Buffer.from(`${before}${text}, and what follows`).toString('base64'))
    for (const written of around) expect(searchText(written, { text })).toMatchObject([{ encoding: 'base64' }])
    expect(
      searchText(encodeURIComponent(`?name=${person['first name']}`), { name: person['first name'] }),
    ).toMatchObject([{ encoding: 'URL' }])
    expect(searchText(Buffer.from('quite another text').toString('base64'), { text })).toEqual([])
  })
})

describe('a deleted user', () => {
  it('is in no byte of DATA_DIR, temporary files or output', async () => {
    const folder = temporaryFolder()
    const [dataDir, temporary] = [join(folder, 'data'), join(folder, 'tmp')]
    await mkdir(temporary)
    const environment = { TMPDIR: temporary, LOG_LEVEL: 'debug', SEAL_SECONDS: '1' }
    const start = () => startProgram({ dataDir, environment })
    const search = async () => ({
      theirs: await searchFolder(folder, person),
      others: await searchFolder(folder, retainedTexts),
    })
    let portal = await start()
    const { admin, trader, id } = await createUserWithAllData(portal)
    // Every generation that a view has had.
    expect(await runCommand(['rebuild', 'users'], { DATA_DIR: dataDir })).toMatchObject({ code: 0 })
    const audited = async (who: Browser) => AuditState.parse((await who.get(`/api/audit/accounts/${id}`)).body)

    // Before: what is stored in clear is found wherever it is. Payment details and secrets never are.
    const before = await until(
      async () => {
        const { theirs } = await search()
        return (
          placesOf(theirs.finds).length >= 3 &&
          readable.every((what) => theirs.finds.some((find) => find.what === what)) &&
          theirs
        )
      },
      'mails, views and files to hold the person',
      60_000,
    )
    expect(placesOf(before.finds)).toEqual(['files', 'outbox', 'views.sqlite'])
    expect(whatIn(before.finds).filter((what) => encrypted.includes(what))).toEqual([])
    const stateBefore = await audited(admin)

    // What an export of theirs proves now, and the salts of the commitments, which are never anywhere in clear.
    const provable = await disclosedEvents(dataDir, id)
    expect(provable.map(({ type }) => type)).toEqual([
      'UserRegistered',
      'ProfileChanged',
      'PayoutRequested',
      'PayoutRequested',
      'CertificateIssued',
    ])
    const salts = saltsOf(provable)
    expect(Object.keys(salts)).toHaveLength(6 + 2 + 2 + 2 + 1)
    expect((await searchFolder(folder, salts)).finds).toEqual([])

    // A mail waits while they are deleted: there is no outbox for a while.
    await rename(join(dataDir, 'outbox'), join(folder, 'outbox-away'))
    await admin.patch(`/api/admin/user/${id}/ban`, { banned: true, banReason: 'Two accounts' })
    await until(async () => (await mailsWaiting(admin)) > 0, 'a mail to wait', 60_000)
    await rename(join(folder, 'outbox-away'), join(dataDir, 'outbox'))
    expect((await admin.delete(`/api/admin/user/${id}`)).status).toBe(200)
    expect((await trader.get('/api/user')).status).toBe(401)

    // After, as it runs: the read models follow within moments, and the waiting mail has no recipient.
    await until(async () => (await mailsWaiting(admin)) === 0, 'no mail to wait any more', 60_000)
    const running = await expectErased(search, 'while it runs')

    // The record stays, and is proven.
    const stateAfter = await audited(admin)
    // The deletion closes the account, and rejects what waited for a verdict.
    expect(withoutPerson(stateAfter)).toEqual(
      withoutPerson(stateBefore).map(({ account, payouts, certificates }) => ({
        account: { ...account, open: false, payoutEnabled: false },
        payouts: payouts.map((payout) =>
          payout.status === 'pending' ? { ...payout, status: 'rejected', decidedAt: expect.any(String) } : payout,
        ),
        certificates,
      })),
    )
    const erased = Object.fromEntries(
      ['fullName', 'email', 'country', 'city', 'street', 'houseNumber'].map((field) => [field, 'erased']),
    )
    expect(stateAfter.user).toMatchObject({ ...erased, id, deleted: true })
    const history = z.array(AuditEvent).parse((await admin.get(`/api/audit/accounts/${id}/events?limit=1000`)).body)
    expect(history.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'UserRegistered',
        'BalanceChanged',
        'PayoutApproved',
        'PayoutRejected',
        'CertificateIssued',
        'UserBanned',
        'UserDeleted',
        'AccountClosed',
      ]),
    )
    const verified = await runCommand(['audit', 'verify', '--json'], { DATA_DIR: dataDir })
    expect(z.object({ seals: z.int().min(1), finding: z.null() }).parse(JSON.parse(verified.stdout))).toMatchObject({
      finding: null,
    })
    expect(verified.code).toBe(0)

    // After the end, and again after a start that rebuilds all read models.
    let said = portal.output()
    expect(await portal.stop()).toBe(0)
    const stopped = await expectErased(search, 'after the end')
    expect(await runCommand(['rebuild', 'all'], { DATA_DIR: dataDir })).toMatchObject({ code: 0 })
    portal = await start()
    expect(
      (await browser(portal.url).post('/api/login', { email: person.email, password: person['new password'] })).status,
    ).toBe(401)
    await expectErased(search, 'after a rebuild')
    said += portal.output()
    await portal.stop()
    expect(searchText(said, { ...person, ...salts })).toEqual([])

    // No commitment can be opened any more, except by those who kept a disclosure: the log still has what proves it.
    expect(await disclosedEvents(dataDir, id)).toEqual([])
    expect((await searchFolder(folder, salts)).finds).toEqual([])
    const { events } = await withStores(dataDir, readLog)
    for (const { eventId, type, disclosures } of provable) {
      const stored = events.find((event) => event.id === eventId)
      for (const each of disclosures) await openDisclosure(stored?.data ?? '', definitions[type].disclosable, each)
    }
    expect(said).toContain(`/api/admin/user/${id}`)
    readLink({ before, running, stopped, said })
  })
})

/** The events of a person that have disclosures, decrypted with what the folder has. */
async function disclosedEvents(dataDir: string, id: string) {
  return withStores(dataDir, async (parts) => {
    const events = await decodeEvents(parts, (await readLog(parts)).events)
    return events.flatMap((event) => {
      const disclosures = event.personId === id ? disclosuresOf(event, definitions[event.type].disclosable) : []
      return disclosures.length > 0 ? [{ eventId: event.id, type: event.type, disclosures }] : []
    })
  })
}

/** The salt of each disclosure. */
function saltsOf(events: readonly { readonly disclosures: readonly string[] }[]): Record<string, string> {
  const salts = events.flatMap(({ disclosures }) =>
    disclosures.map((each) => String(JSON.parse(Buffer.from(each, 'base64url').toString())[0])),
  )
  return Object.fromEntries(salts.map((salt, index) => [`salt ${index}`, salt]))
}

/** What of the person is read in views, mails and files until they are deleted. */
const readable: readonly string[] = [
  'first name',
  'former name',
  'last name',
  'email',
  'street',
  'city',
  'house number',
  'name of a certificate',
  'content of a certificate',
]
/** What no one can read on the disk at any time. */
const encrypted: readonly string[] = ['payment details', 'master password', 'password', 'new password']

/** Waits until nothing of the person is found, while another person's still is. */
async function expectErased(
  search: () => Promise<{ theirs: SearchResult; others: SearchResult }>,
  when: string,
): Promise<SearchResult> {
  let last: SearchResult | undefined
  await until(
    async () => (last = (await search()).theirs).finds.length === 0,
    `nothing of the person to be left ${when}`,
    60_000,
  ).catch((error: unknown) => {
    expect(last?.finds, String(error)).toEqual([])
  })
  const { theirs, others } = await search()
  expect(whatIn(others.finds)).toEqual(Object.keys(retainedTexts).sort())
  return theirs
}

async function mailsWaiting(admin: Browser): Promise<number> {
  const { parts } = read(Readiness, await admin.get('/readyz'))
  return z.object({ waiting: z.int() }).parse(parts?.['mail']).waiting
}

/** What must stay of a payout. */
const decided = ({ id, amount, paymentMethod, status, createdAt, decidedAt }: AuditAccount['payouts'][number]) => ({
  id,
  amount,
  paymentMethod,
  status,
  createdAt,
  decidedAt,
})

/** What must stay of the accounts: amounts, decisions and times. */
function withoutPerson({ accounts }: AuditState) {
  return accounts.map(({ account: { masterPassword: _secret, ...account }, payouts, certificates }) => ({
    account,
    payouts: payouts.map(decided),
    certificates: certificates.map(({ id, issuedAt, uploadedAt }) => ({ id, issuedAt, uploadedAt })),
  }))
}

function whatIn(finds: readonly Match[]): string[] {
  return [...new Set(finds.map(({ what }) => what))].sort()
}

/** Which stores finds are in: 'views.sqlite' for its log too, 'outbox' for any mail. */
function placesOf(finds: readonly Match[]): string[] {
  return [...new Set(finds.map(({ file }) => file.replace(/^data\//, '').replace(/\/.*|-(wal|shm)$/, '')))].sort()
}

/** The counts, for readers of the test's output. */
function readLink({
  before,
  running,
  stopped,
  said,
}: {
  readonly before: SearchResult
  readonly running: SearchResult
  readonly stopped: SearchResult
  readonly said: string
}): void {
  const forms = Object.values(person).reduce((sum, text) => sum + formsOf(text).length, 0)
  const size = ({ files, bytes }: SearchResult) => `${files} files, ${bytes} bytes`
  process.stdout.write(
    `Erasure: ${Object.keys(person).length} texts in ${forms} forms. Before: ${before.finds.length} finds of ${whatIn(before.finds).length} texts in ${size(before)}. After: none in ${size(running)} as it runs, none in ${size(stopped)} after the end, none in ${said.length} characters of output.\n`,
  )
}
