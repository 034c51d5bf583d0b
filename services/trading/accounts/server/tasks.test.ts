import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOTAL_HEADER } from '#services/framework/api/headers.ts'
import { System } from '#services/operations/installation/installation-api.ts'
import { read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { publishedProgramme } from '#test-support/programme-account.ts'
import { sampleTerms } from '#test-support/terms.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { Task } from '../task-api.ts'

let portal: Portal
let admin: Browser
let logins = 80_000_000

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const enrol = (trader: Trader) => admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: 'one-step-5000' })
const accountOf = (trader: Trader) => `/api/admin/accounts/${trader.id}-a1`
const assign = (trader: Trader, login = String(++logins)) =>
  admin.patch(accountOf(trader), { platform: 'mt5', login, server: 'Broker-MT5', masterPassword: 'trading-Secret-1' })
const tasksOf = async (trader: Trader): Promise<Task[]> =>
  read(Task.array(), await admin.get('/api/admin/tasks', await portal.atEnd())).filter(
    ({ account }) => account === `${trader.id}-a1`,
  )
const closed = (trader: Trader) => admin.post(`${accountOf(trader)}/closed-on-platform`)

describe('the tasks of staff', () => {
  it('ask for the login of an account that begins, until it is assigned', async () => {
    const trader = await portal.trader()
    expect(await tasksOf(trader)).toEqual([])
    await enrol(trader)
    expect(await tasksOf(trader)).toMatchObject([
      {
        ...{ id: `${trader.id}-a1-platform-login`, kind: 'platform-login', account: `${trader.id}-a1` },
        ...{ userId: trader.id, userName: 'Ada Lovelace', programme: 'One-Step 5K', stage: 'Phase 1', login: null },
      },
    ])
    await assign(trader)
    expect(await tasksOf(trader)).toEqual([])
  })

  it('stay while somebody could not sign in with the login, and say what is missing', async () => {
    const [trader, support] = [await portal.trader(), await portal.member('support')]
    await enrol(trader)
    const given = (body: object) => support.post(`${accountOf(trader)}/login`, body)
    expect((await given({ login: '70000021' })).status).toBe(200)
    const missing = ['platform', 'masterPassword', 'server']
    expect(await tasksOf(trader)).toMatchObject([{ kind: 'platform-login', login: '70000021', missing }])
    await given({ server: 'Broker-MT5', masterPassword: 'trading-Secret-1' })
    expect(await tasksOf(trader)).toMatchObject([{ missing: ['platform'], server: 'Broker-MT5' }])
    await given({ platform: 'mt5' })
    expect(await tasksOf(trader)).toEqual([])
    // Taken away again, it is a task again.
    await given({ masterPassword: '' })
    expect(await tasksOf(trader)).toMatchObject([{ missing: ['masterPassword'], platform: 'mt5' }])
    expect(await given({ phase: 'Funded' })).toMatchObject({ status: 200 })
    expect((await portal.events(`account-${trader.id}-a1`)).map(({ type }) => type)).not.toContain('PhaseChanged')
  })

  it('end with a mail to the trader once the whole login is there, which shows nothing of it', async () => {
    const [trader, muted] = [await portal.trader(), await portal.trader()]
    await muted.patch('/api/user/notices', { muted: ['login'] })
    for (const each of [trader, muted]) await enrol(each)
    const ready = async (person: Trader) =>
      (await portal.mails(person.email)).filter(({ subject }) => subject === 'Your platform login is ready')
    await admin.patch(accountOf(trader), { login: '70000031', platform: 'mt5' })
    for (const each of [trader, muted]) expect((await assign(each)).status).toBe(200)
    const mail = await portal.mailWith(trader.email, ({ subject }) => subject === 'Your platform login is ready')
    expect(mail.text).not.toMatch(/trading-Secret-1|Broker-MT5|\d{8}/)
    // A new password for the same login is no news of a login. Its mail would have come before the next one.
    await admin.patch(accountOf(trader), { masterPassword: 'trading-Secret-2' })
    for (const each of [trader, muted])
      await admin
        .post(`${accountOf(each)}/close`, { reason: 'Over' })
        .then(() => admin.patch(`/api/admin/user/${each.id}/ban`, { banned: true, banReason: 'Copied trades' }))
    for (const each of [trader, muted])
      await portal.mailWith(each.email, ({ subject }) => subject?.endsWith('was banned') ?? false)
    expect([(await ready(trader)).length, (await ready(muted)).length]).toEqual([1, 0])
  })

  it('ask to close a breached account on the platform, until that is done', async () => {
    const trader = await portal.trader()
    await enrol(trader)
    await assign(trader, '70000009')
    expect((await closed(trader)).status).toBe(409)
    const evidence = { rule: 'overall-loss', limit: '10%', value: '-10.2%', occurredAt: '2026-03-03T14:07:00Z' }
    await admin.patch(accountOf(trader), { status: 'breached', reason: 'Too much lost', evidence })
    expect(await tasksOf(trader)).toMatchObject([
      { kind: 'close-on-platform', login: '70000009', server: 'Broker-MT5' },
    ])
    expect((await closed(trader)).status).toBe(200)
    expect(await tasksOf(trader)).toEqual([])
    // Once; a second member finds it done.
    expect((await closed(trader)).status).toBe(200)
    const types = (await portal.events(`account-${trader.id}-a1`)).map(({ type }) => type)
    expect(types.filter((type) => type === 'ClosedOnPlatform')).toHaveLength(1)
    // A mistake: trading goes on with another login, and its end is a task again.
    await admin.patch(accountOf(trader), { status: 'active' })
    await assign(trader)
    await admin.post(`${accountOf(trader)}/close`, { reason: 'The trader asked for it' })
    expect(await tasksOf(trader)).toMatchObject([{ kind: 'close-on-platform' }])
  })

  it('ask to enable payouts of a funded account whose terms leave that to staff', async () => {
    const [byStaff, byItself] = await Promise.all(
      (['by-staff', 'when-funded'] as const).map(async (payoutsEnabled) => {
        const trader = await portal.trader()
        const terms = { ...sampleTerms(), name: `Funded ${payoutsEnabled}`, payoutsEnabled }
        const programme = await publishedProgramme(admin, terms)
        await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme })
        await assign(trader)
        return trader
      }),
    )
    if (!byStaff || !byItself) throw new Error('There are two traders')
    const enabled = async ({ id }: Trader) =>
      (await portal.events(`account-${id}-a1`)).filter(({ type }) => type === 'PayoutsEnabled').length
    expect([await tasksOf(byItself), await enabled(byItself)]).toEqual([[], 1])
    expect(await tasksOf(byStaff)).toMatchObject([{ kind: 'enable-payouts', programme: 'Funded by-staff' }])
    expect(await enabled(byStaff)).toBe(0)
    await admin.patch(accountOf(byStaff), { payoutEnabled: true })
    expect([await tasksOf(byStaff), await enabled(byStaff)]).toEqual([[], 1])
    // Staff took them back on purpose: that is no task.
    await admin.patch(accountOf(byItself), { payoutEnabled: false })
    expect(await tasksOf(byItself)).toEqual([])
  })

  it('ask for nothing on the platform where an account never had a login there', async () => {
    const trader = await portal.trader()
    await enrol(trader)
    await admin.post(`${accountOf(trader)}/close`, { reason: 'Paid back' })
    expect(await tasksOf(trader)).toEqual([])
    expect(await closed(trader)).toMatchObject({
      status: 409,
      body: { message: 'This account has no login on a platform' },
    })
  })

  it('are none for an account without a programme: staff set it up and end it as they like', async () => {
    const trader = await portal.trader()
    await assign(trader)
    await admin.patch(accountOf(trader), { status: 'breached' })
    await admin.post(`${accountOf(trader)}/close`, { reason: 'Over' })
    expect(await tasksOf(trader)).toEqual([])
    expect(read(System, await admin.get('/api/admin/system')).setAside).toEqual([])
  })

  it('outlive the trader: the login of a deleted one is still to be closed', async () => {
    const trader = await portal.trader()
    await enrol(trader)
    await assign(trader, '70000010')
    await admin.delete(`/api/admin/user/${trader.id}`)
    expect(await tasksOf(trader)).toMatchObject([{ kind: 'close-on-platform', userName: 'erased', login: '70000010' }])
    expect((await closed(trader)).status).toBe(200)
    expect(await tasksOf(trader)).toEqual([])
  })

  it('are listed in pages, the oldest first, and by kind', async () => {
    const traders = [await portal.trader(), await portal.trader(), await portal.trader()]
    for (const trader of traders) await enrol(trader)
    const all = read(Task.array(), await admin.get('/api/admin/tasks', await portal.atEnd()))
    const waiting = all.filter(({ userId }) => traders.some(({ id }) => id === userId))
    expect(waiting.map(({ userId }) => userId)).toEqual(traders.map(({ id }) => id))
    const first = await admin.get('/api/admin/tasks?limit=2')
    expect(first.body).toEqual(all.slice(0, 2))
    expect(first.headers.get(TOTAL_HEADER)).toBe(String(all.length))
    const next = /<(.*)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect((await admin.get(next)).body).toEqual(all.slice(2, 4))
    expect((await admin.get('/api/admin/tasks?kind=close-on-platform')).body).toEqual(
      all.filter(({ kind }) => kind === 'close-on-platform'),
    )
    expect((await admin.get('/api/admin/tasks?kind=other')).status).toBe(400)
  })

  it('are done by administrators and support, and seen by all staff', async () => {
    const trader = await portal.trader()
    await enrol(trader)
    for (const role of ['payouts', 'auditor'] as const) {
      const member = await portal.member(role)
      expect((await member.get('/api/admin/tasks')).status).toBe(200)
      for (const task of ['closed-on-platform', 'payouts-enabled', 'login'])
        expect((await member.post(`${accountOf(trader)}/${task}`, {})).status).toBe(403)
    }
    const support = await portal.member('support')
    expect(await support.post(`${accountOf(trader)}/payouts-enabled`)).toMatchObject({
      status: 409,
      body: { message: 'Payouts begin with the funded stage of the programme: this account is in Phase 1' },
    })
    expect((await support.patch(accountOf(trader), { login: '1' })).status).toBe(403)
    const byHand = await portal.trader()
    expect((await support.post(`${accountOf(byHand)}/payouts-enabled`)).status).toBe(200)
    expect((await support.post(`${accountOf(byHand)}/payouts-enabled`)).status).toBe(200)
    const enabled = (await portal.events(`account-${byHand.id}-a1`)).filter(({ type }) => type === 'PayoutsEnabled')
    expect(enabled).toMatchObject([{ metadata: { actor: { kind: 'admin', id: support.id } } }])
    expect((await admin.post('/api/admin/accounts/nobody00-a1/closed-on-platform')).status).toBe(404)
  })
})
