import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IssuedApiKey, ListedApiKey } from '../api-key-api.ts'
import { limits } from '#services/framework/http/limits.ts'
import { after, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { newEmail, openPortal, type Portal } from '#test-support/portal.ts'

const KEYS = '/api/admin/keys'
const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString()

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const wanted = { name: 'Shop', scopes: ['enrolments'], expiresAt: IN_A_YEAR }
const make = async (given: Partial<typeof wanted> = {}) =>
  read(IssuedApiKey.required(), await admin.post(KEYS, { ...wanted, ...given }))
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
/** An order that is refused for its content: whoever gets 400 was let in. */
const call = (who: Browser, key: string): Promise<Answer> => who.post('/api/enrolments', {}, bearer(key))

describe('a key of a program', () => {
  it('is shown once, and stored only as a hash', async () => {
    const answer = await admin.post(KEYS, wanted)
    expect(answer.status).toBe(201)
    const { id, key } = read(IssuedApiKey.required(), answer)
    const [issued] = await portal.events(`programkey-${id}`)
    expect(issued).toMatchObject({
      type: 'ProgramKeyIssued',
      data: { name: 'Shop', scopes: ['enrolments'], expiresAt: Date.parse(IN_A_YEAR) },
      metadata: { actor: { kind: 'admin' } },
    })
    expect(JSON.stringify(issued)).not.toContain(key)
    const list = await admin.get(KEYS, after(answer))
    expect(list.text).not.toContain(key)
    expect(read(ListedApiKey.array(), list)[0]).toMatchObject({
      ...{ id, name: 'Shop', scopes: ['enrolments'], expiresAt: IN_A_YEAR, revokedAt: null },
      createdBy: 'ADMIN_ACCESS_KEY',
    })
  })

  it('needs a name, a scope and an expiry in the future', async () => {
    const before = (await portal.events()).length
    expect(await admin.post(KEYS, {})).toMatchObject({
      status: 400,
      body: {
        errors: { name: 'Required', scopes: 'Please choose what the program may do', expiresAt: 'Invalid input' },
      },
    })
    for (const bad of [{ scopes: [] }, { scopes: ['all'] }, { scopes: ['feed', 'feed'] }, { expiresAt: 'soon' }])
      expect((await admin.post(KEYS, { ...wanted, ...bad })).status).toBe(400)
    expect(await admin.post(KEYS, { ...wanted, expiresAt: '2020-01-01T00:00:00Z' })).toMatchObject({
      status: 400,
      body: { errors: { expiresAt: 'Please choose a date in the future' } },
    })
    expect((await portal.events()).length).toBe(before)
  })

  it('is made and revoked by administrators, and seen by those who see the staff', async () => {
    const { id } = await make()
    for (const [role, status] of [
      ['payouts', 403],
      ['support', 403],
      ['auditor', 200],
    ] as const) {
      const member = await portal.member(role)
      expect((await member.get(KEYS)).status).toBe(status)
      expect((await member.post(KEYS, wanted)).status).toBe(403)
      expect((await member.delete(`${KEYS}/${id}`)).status).toBe(403)
    }
    expect((await (await portal.trader()).post(KEYS, wanted)).status).toBe(401)
  })

  it('opens the calls of its scopes only, and none of people', async () => {
    const [shop, feed] = [await make(), await make({ name: 'Feed', scopes: ['feed'] })]
    const program = portal.browser()
    expect((await call(program, shop.key)).status).toBe(400)
    expect(await call(program, feed.key)).toMatchObject({
      status: 403,
      body: { message: 'This key does not allow this' },
    })
    for (const path of ['/api/admin/keys', '/api/user/account', '/api/admin/stats'])
      expect((await program.get(path, bearer(shop.key))).status).toBe(403)
  })

  it('is refused when it is unknown, revoked or expired', async () => {
    const program = portal.browser()
    expect((await program.post('/api/enrolments', {})).status).toBe(401)
    for (const key of ['', 'pdp_unknown', portal.adminKey]) expect((await call(program, key)).status).toBe(401)
    const { id, key } = await make()
    expect((await call(program, key)).status).toBe(400)
    const revoked = await admin.delete(`${KEYS}/${id}`)
    expect(revoked.status).toBe(200)
    expect((await call(program, key)).status).toBe(401)
    expect((await admin.delete(`${KEYS}/${id}`)).status).toBe(200)
    expect((await admin.delete(`${KEYS}/0000000000`)).status).toBe(404)
    expect((await admin.delete(`${KEYS}/NO.KEY`)).status).toBe(404)
    expect(read(ListedApiKey.array(), await admin.get(KEYS, after(revoked)))).toContainEqual(
      expect.objectContaining({ id, revokedAt: expect.any(String) }),
    )
    expect((await portal.events(`programkey-${id}`)).map(({ type }) => type)).toEqual([
      'ProgramKeyIssued',
      'ProgramKeyRevoked',
    ])
    const soon = await make({ expiresAt: new Date(Date.now() + 1_000).toISOString() })
    await expect.poll(async () => (await call(program, soon.key)).status, { timeout: 5_000 }).toBe(401)
  })

  it('counts alone: beside it cookies open nothing', async () => {
    const trader = await portal.trader()
    expect((await admin.get('/api/admin/stats', bearer('pdp_unknown'))).status).toBe(401)
    expect((await trader.get('/api/user/account', bearer('pdp_unknown'))).status).toBe(401)
    expect((await call(admin, 'pdp_unknown')).status).toBe(401)
    expect((await admin.get('/api/admin/stats')).status).toBe(200)
  })

  it('names the program in the events of its calls', async () => {
    const { id, key } = await make({ name: 'Checkout' })
    const email = newEmail()
    const order = { order: 'K-1', email, fullName: 'Grace Hopper', programme: 'one-step-5000' }
    const answer = await portal.browser().post('/api/enrolments', order, bearer(key))
    expect(answer.status).toBe(201)
    const { userId } = answer.body as { userId: string }
    const events = await portal.events(`user-${userId}`)
    expect(events.map(({ type }) => type)).toEqual([
      'UserCreated',
      'AccountAssigned',
      'TraderEnrolled',
      'OrderNumberRecorded',
    ])
    for (const { metadata } of events) expect(metadata.actor).toEqual({ kind: 'program', id, label: 'Checkout' })
  })

  it('cannot be guessed: wrong ones of a network are throttled, and a right one still works', async () => {
    const guessing = await openPortal()
    const program = guessing.browser()
    const statuses: number[] = []
    for (let n = 0; n < limits.attempts.apiKeyNetwork.attempts + 1; n++)
      statuses.push((await call(program, `pdp_guess${n}`)).status)
    expect([...new Set(statuses)]).toEqual([401, 429])
    const right = read(IssuedApiKey.required(), await (await guessing.admin()).post(KEYS, wanted))
    expect((await call(program, right.key)).status).toBe(400)
    await guessing.stop()
  })
})
