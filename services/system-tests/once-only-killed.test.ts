import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { IDEMPOTENCY_HEADER } from '#services/framework/api/headers.ts'
import { takesIdempotencyKey } from '#services/framework/api/takes-idempotency-key.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { startChild } from '#test-support/child-process.ts'
import { browser } from '#test-support/http-client.ts'
import { onceOnlyRequests, withoutSecrets } from '#test-support/once-only-requests.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { ADMIN_KEY, afterSuite } from '#test-support/program.ts'

// The program is killed with SIGKILL after an append of a creating call, before anybody is told. The same request again, to
// a process that is alive, makes the thing once and answers it. In every run after the first append, in the long ones after
// each.

const child = fileURLToPath(new URL('../../test-support/chaos/killed-at-append.child.ts', import.meta.url))
const onEnd = afterSuite()
vi.setConfig({ testTimeout: 120_000 })

let portal: Portal
let requests: ReturnType<typeof onceOnlyRequests>
beforeAll(async () => {
  portal = await openPortal({ environment: EMBEDDED })
  requests = onceOnlyRequests(portal, await portal.admin())
})
afterAll(() => portal.stop())

/** The process that dies uses the same files. */
const EMBEDDED = { EVENTSTORE_URL: '', MONGODB_URL: '', REDIS_URL: '', S3_URL: '', SMTP_URL: '' }

/** The events that must be there once after each creating call. */
const made: Readonly<Record<string, readonly string[]>> = {
  register: ['UserRegistered', 'AccountOpened'],
  createUser: ['UserCreated', 'AccountOpened'],
  openAccount: ['AccountAssigned', 'AccountOpened'],
  bookEntry: ['EntryBooked'],
  previewImport: ['ImportPreviewed'],
  makeBatch: ['BatchMade', 'PaymentBatched'],
  saveDestination: ['DestinationSaved'],
  saveView: ['ViewSaved'],
  openCase: ['CaseOpened'],
  writeInOwnCase: ['CaseMessageWritten'],
  addCaseFile: ['CaseFileAdded'],
  writeInCase: ['CaseMessageWritten'],
  shareCertificate: ['CertificateShared'],
  issueCertificate: ['CertificateIssued'],
  draftProgramme: ['ProgrammeDrafted'],
  draftProgrammeVersion: ['ProgrammeDrafted'],
  enrolTrader: ['TraderEnrolled', 'StageBegun'],
  addStaffMember: ['AdminKeyIssued'],
  makeApiKey: ['ProgramKeyIssued'],
  replaceStaffKey: ['AdminKeyReplaced'],
}

it('is about every call that answers 201', () => {
  const creating = allRoutes.filter((route) => takesIdempotencyKey(route) && route.status === 201)
  expect(Object.keys(made)).toEqual(expect.arrayContaining(creating.map(({ name }) => name)))
})

/** Starts the program, which dies once it has made so many appends of the request. */
async function startDying(appends: number) {
  const variables = {
    ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'], ...EMBEDDED },
    ...{ DATA_DIR: portal.dataDir, PORT: '0', HOST: '127.0.0.1', ADMIN_ACCESS_KEY: ADMIN_KEY, LOG_LEVEL: 'silent' },
    ...{ REGISTRATIONS_PER_HOUR: '0', KILLED_AFTER: String(appends), KILLED_OF: 'requests' },
  }
  const started = startChild([process.execPath, '--import', 'tsx', child], variables, onEnd)
  return { url: await started.says(/ready at (\S+)/), process: started }
}

/** More than any of them appends. */
const MOST_APPENDS = process.env['TEST_LONG'] ? 6 : 1

it.each(Object.keys(made))('%s', async (name) => {
  const route = allRoutes.find((one) => one.name === name)
  const make = requests[name]
  if (!route || !make) throw new Error(`There is no ${name}`)
  for (let appends = 1; appends <= MOST_APPENDS; appends++) {
    const { who, path, body, form } = await make()
    const headers = { [IDEMPOTENCY_HEADER]: `killed after ${appends}` }
    const sendTo = (url: string) => {
      const client = browser(url)
      for (const [cookie, value] of who.cookies) client.cookies.set(cookie, value)
      const method = route.method.toUpperCase()
      return form
        ? client.send(method, path, form(), { headers })
        : client.send(method, path, JSON.stringify(body), {
            headers: { ...headers, 'content-type': 'application/json' },
          })
    }
    const before = (await portal.events()).length
    const dying = await startDying(appends)
    const answered = await sendTo(dying.url).then(
      () => true,
      () => false,
    )
    await dying.process.end('SIGKILL')
    const repeated = await sendTo(portal.url)
    expect([repeated.status, repeated.text]).toEqual([route.status ?? 200, repeated.text])
    expect(withoutSecrets(await sendTo(portal.url))).toEqual(withoutSecrets(repeated))
    const types = (await portal.events()).slice(before).map(({ type }) => type)
    expect(types.filter((type) => made[name]?.includes(type)).sort(), types.join()).toEqual(
      [...(made[name] ?? [])].sort(),
    )
    // The request has fewer appends than that: it was answered before anything died.
    if (answered) break
    expect(appends < MOST_APPENDS || !process.env['TEST_LONG']).toBe(true)
  }
})
