import { afterAll, beforeAll, expect, it } from 'vitest'
import { IDEMPOTENCY_HEADER } from '#services/framework/api/headers.ts'
import { takesIdempotencyKey } from '#services/framework/api/takes-idempotency-key.ts'
import { allRoutes } from '#services/portal/routes.ts'
import type { Answer } from '#test-support/http-client.ts'
import { onceOnlyRequests, secretFields, withoutSecrets } from '#test-support/once-only-requests.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'

// Every change by a person takes effect once, however often it is sent with one Idempotency-Key: by a process that made it,
// and by one that knows nothing but the log.

let portal: Portal
let other: Portal
let requests: ReturnType<typeof onceOnlyRequests>
/** The names of the rows do not need the portal. */
const names = allRoutes.filter(takesIdempotencyKey).map(({ name }) => name)

beforeAll(async () => {
  portal = await openPortal()
  requests = onceOnlyRequests(portal, await portal.admin())
  // Another process on the same data: it has made none of the changes.
  other = await openPortal({ dataDir: portal.dataDir, services: ['command'] })
})
afterAll(async () => {
  await other.stop()
  await portal.stop()
})

/** Calls without a row, and where their handler has one. */
const others: Readonly<Record<string, string>> = {
  addOwnPasskey: 'a passkey is made by a device; the decision is that of issueOwnRecoveryCodes',
  addStaffPasskey: 'as addOwnPasskey',
  renameOwnPasskey: 'as addOwnPasskey',
  renameStaffPasskey: 'as addOwnPasskey',
  removeOwnPasskey: 'as addOwnPasskey',
  removeStaffPasskey: 'as addOwnPasskey',
  retryEvent: 'a dead letter is needed; a second retry of it decides nothing',
}

it('has a request of every change by a person', () => {
  expect([...Object.keys(requests), ...Object.keys(others)].sort()).toEqual(names.toSorted())
})

it.each(names.filter((name) => !(name in others)))('%s', async (name) => {
  const route = allRoutes.find((one) => one.name === name)
  const make = requests[name]
  if (!route || !make) throw new Error(`There is no ${name}`)
  const { who, path, body, form, another } = await make()
  const headers = { [IDEMPOTENCY_HEADER]: `key of ${name}` }
  const method = route.method.toUpperCase()
  const send = (what: object | (() => FormData) | undefined, at: Portal = portal): Promise<Answer> => {
    const client = at === portal ? who : { ...at.browser() }
    if (at !== portal) for (const [cookie, value] of who.cookies) client.cookies.set(cookie, value)
    return what === undefined
      ? client.send(method, path, undefined, { headers })
      : typeof what === 'function'
        ? client.send(method, path, what(), { headers })
        : client.send(method, path, JSON.stringify(what), {
            headers: { ...headers, 'content-type': 'application/json' },
          })
  }
  const first = await send(form ?? body)
  expect([first.status, first.text]).toEqual([route.status ?? 200, first.text])
  await portal.mailed()
  // The worker's part of a change may come later.
  const decided = async () =>
    (await portal.events()).filter(({ type }) => !['ImportCompleted', 'WhatIfComputed'].includes(type))
  const before = (await decided()).length
  for (const at of [portal, other]) {
    const repeated = await send(form ?? body, at)
    expect(withoutSecrets(repeated)).toEqual(withoutSecrets(first))
    for (const secret of secretFields) expect(Object(repeated.body)).not.toHaveProperty(secret)
  }
  expect((await decided()).slice(before).map(({ type }) => type)).toEqual([])
  if (another === null) return
  for (const at of [portal, other]) {
    const refused = await send(another, at)
    expect([refused.status, refused.body]).toEqual([
      409,
      { message: 'This Idempotency-Key was already used for a different request' },
    ])
  }
  expect((await decided()).slice(before).map(({ type }) => type)).toEqual([])
})
