import { subjectNames } from '#services/oversight/event-catalogue.ts'
import { comparePositions, toPosition } from '#infra/event-store/event-store.ts'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { runsSeparately } from '#test-support/separate-services.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { eligibleTrader, read, uploadCertificate } from '#test-support/http-calls.ts'
import { Changes, ENDED_EVENT, READY_EVENT } from '#services/framework/api/live-schemas.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { POSITION_HEADER, SHOWN_HEADER } from '#services/framework/api/headers.ts'
import { until } from '#test-support/until.ts'
import { limits } from '#services/framework/http/limits.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

interface ReceivedEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: unknown
}

interface TestListener {
  readonly status: number
  readonly headers: Headers
  readonly heard: ReceivedEvent[]
  /** True once the server has ended the stream. */
  over(): boolean
  text(): string
  subjects(): string[]
  /** Waits until the subject is announced, at the position of a change or later. What came before it may be late. */
  hears(subject: string, change?: Answer): Promise<ReceivedEvent>
  leave(): void
}

/** Listens like a browser. */
async function listen(
  who: Browser,
  { lastId, at = portal }: { readonly lastId?: string; readonly at?: Portal } = {},
): Promise<TestListener> {
  const left = new AbortController()
  onTestFinished(() => left.abort())
  const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, ...(lastId !== undefined && { 'last-event-id': lastId }) }
  const response = await fetch(new URL('/api/live', at.url), { headers, signal: left.signal })
  const heard: ReceivedEvent[] = []
  let text = ''
  let over = false
  const take = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      const whole = text.slice(0, text.lastIndexOf('\n\n') + 2)
      heard.splice(0, heard.length, ...whole.split('\n\n').flatMap(parse))
    }
    over = true
  }
  take().catch(() => {
    over = true
  })
  const subjectsIn = ({ event, data }: ReceivedEvent): string[] =>
    event === 'message' ? Changes.parse(data).subjects : []
  const ear: TestListener = {
    status: response.status,
    headers: response.headers,
    heard,
    over: () => over,
    text: () => text,
    subjects: () => heard.flatMap(subjectsIn),
    hears: (subject, change) => {
      const since = toPosition(change?.headers.get(POSITION_HEADER) ?? '0')
      const isIt = (one: ReceivedEvent) =>
        subjectsIn(one).includes(subject) && comparePositions(toPosition(one.id ?? '0'), since) >= 0
      return until(async () => heard.find(isIt), `${subject} to be announced`)
    },
    leave: () => left.abort(),
  }
  if (response.status === 200)
    await until(async () => heard.some(({ event }) => event === READY_EVENT), 'the stream to begin')
  return ear
}

function parse(block: string): ReceivedEvent[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const data = field('data')
  return data === undefined ? [] : [{ event: field('event') ?? 'message', id: field('id'), data: JSON.parse(data) }]
}

describe("a trader's stream", () => {
  it("announces an administrator's change once it can be read", async () => {
    const trader = await portal.trader()
    const ear = await listen(trader)
    await admin.patch(`/api/admin/user/${trader.id}/account`, { status: 'active', balance: '5000.00' })
    await ear.hears('accounts')
    expect((await trader.get('/api/user/account')).body).toMatchObject({ status: 'active', balance: '5000.00' })
  })

  it('announces payouts, certificates and profile by subject', async () => {
    const trader = await eligibleTrader(portal, admin)
    const ear = await listen(trader)
    await trader.post('/api/user/payouts', { amount: '10.00', paymentMethod: 'bank' })
    await ear.hears('payouts')
    await uploadCertificate(admin, { userId: trader.id })
    await ear.hears('certificates')
    await trader.patch('/api/user/profile', { city: 'Paris' })
    await ear.hears('users')
  })

  it('announces changes made between reading and listening', async () => {
    const trader = await portal.trader()
    const shown = (await trader.get('/api/user/account')).headers.get(SHOWN_HEADER) ?? ''
    await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '7.00' })
    await (await listen(trader, { lastId: shown })).hears('accounts')
    // Another query service than the announcing one may be a moment behind.
    const showsMore = async () =>
      comparePositions(
        toPosition((await trader.get('/api/user/account')).headers.get(SHOWN_HEADER) ?? ''),
        toPosition(shown),
      ) > 0
    await until(showsMore, 'an answer to show the change')
  })

  it('announces only its own subjects, without content', async () => {
    const [trader, other] = [
      await portal.trader(),
      await eligibleTrader(portal, admin, { fullName: 'Nobody Elses Business' }),
    ]
    const ear = await listen(trader)
    await other.post('/api/user/payouts', { amount: '77.00', paymentMethod: 'bank', paymentDetails: 'IBAN-NOT-TOLD' })
    await admin.patch(`/api/admin/user/${other.id}/account`, { balance: '123.00' })
    const changed = await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '1.00' })
    await ear.hears('accounts', changed)
    // The trader's own sign-up may be announced late.
    expect(['users', 'accounts']).toEqual(expect.arrayContaining(ear.subjects()))
    // The ids are numbers of events.
    expect(ear.text().replaceAll(/^id: .*$/gm, '')).not.toMatch(/123|77|IBAN|Nobody/)
  })
})

describe('the stream of administrators and auditors', () => {
  it('announces users and payouts of all traders', async () => {
    const ears = [await listen(admin), await listen(await portal.auditor())]
    const trader = await eligibleTrader(portal, admin)
    for (const ear of ears) await ear.hears('users')
    await trader.post('/api/user/payouts', { amount: '10.00', paymentMethod: 'bank' })
    for (const ear of ears) await ear.hears('payouts')
    for (const ear of ears) expect(subjectNames).toEqual(expect.arrayContaining(ear.subjects()))
  })

  it('includes the subjects of a trader signed in alongside', async () => {
    const both = await eligibleTrader(portal, admin)
    await both.post('/api/admin/login', { accessKey: portal.adminKey })
    const ear = await listen(both)
    await admin.patch(`/api/admin/user/${both.id}/account`, { balance: '2.00' })
    await ear.hears('accounts')
    await portal.trader()
    await ear.hears('users')
  })
})

describe('a reconnecting stream', () => {
  it('announces what changed meanwhile', async () => {
    const [trader, somebody] = [await portal.trader(), await portal.trader()]
    // Another listener keeps the service following the log.
    await listen(somebody)
    const first = await listen(trader)
    const changed = await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '1.00' })
    const { id = '' } = await first.hears('accounts', changed)
    first.leave()
    const change = await eligibleTrader(portal, admin)
    await uploadCertificate(admin, { userId: trader.id })
    expect(change.id).not.toBe(trader.id)
    const second = await listen(trader, { lastId: id })
    await second.hears('certificates')
    expect(second.subjects(), 'and only that').toEqual(['certificates'])
  })

  it.each(['0', '1', 'nonsense'])('announces every subject after an unknown position: %s', async (lastId) => {
    const ear = await listen(await portal.trader(), { lastId })
    await ear.hears('accounts')
    expect(ear.subjects().sort()).toEqual(subjectNames.toSorted())
  })
})

describe('an open stream', () => {
  const ended = (ear: TestListener) => until(async () => ear.over(), 'the stream to end')

  it('ends with a ban, and is refused afterwards', async () => {
    const trader = await portal.trader()
    const ear = await listen(trader)
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'For a test' })
    await ended(ear)
    expect(ear.heard.at(-1)?.event).toBe(ENDED_EVENT)
    expect((await listen(trader)).status).toBe(403)
  })

  it('ends when the user is deleted', async () => {
    const trader = await portal.trader()
    const ear = await listen(trader)
    await admin.delete(`/api/admin/user/${trader.id}`)
    await ended(ear)
    expect((await listen(trader)).status).toBe(401)
  })

  it('ends when the password changes, and reopens for valid sessions', async () => {
    const trader = await portal.trader()
    const elsewhere = portal.browser()
    await elsewhere.post('/api/login', { email: trader.email, password: trader.password })
    const [first, second] = [await listen(trader), await listen(elsewhere)]
    const newPassword = 'another horse'
    await trader.post('/api/user/change-password', {
      currentPassword: trader.password,
      newPassword,
      confirmPassword: newPassword,
    })
    await Promise.all([ended(first), ended(second)])
    expect([(await listen(trader)).status, (await listen(elsewhere)).status]).toEqual([200, 401])
  })

  it('ends when the portal stops, without delaying it', async () => {
    const own = await openPortal()
    const trader = await own.trader()
    const ear = await listen(trader, { at: own })
    await own.stop()
    await ended(ear)
  })
})

describe('a stream', () => {
  it('is refused without a session', async () => {
    expect((await listen(portal.browser())).status).toBe(401)
  })

  it('is neither buffered nor cached by proxies', async () => {
    const { headers, text } = await listen(await portal.trader())
    expect(headers.get('content-type')).toBe('text/event-stream')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('cache-control')).toContain('no-store')
    expect(text()).toMatch(/^retry: \d+\n/)
  })

  it('is limited per session; closing one frees its slot', async () => {
    const trader = await portal.trader()
    const ears: TestListener[] = []
    // With two query services each counts its own, and gets every other stream.
    for (let n = 0; n < limits.live.perSession * (runsSeparately ? 2 : 1); n++) ears.push(await listen(trader))
    expect((await listen(trader)).status).toBe(429)
    ears[0]?.leave()
    await until(async () => (await listen(trader)).status === 200, 'a slot to be free')
  })
})

it("announces a payout's verdict to its trader", async () => {
  const trader = await eligibleTrader(portal, admin)
  const { id } = read(Payout, await trader.post('/api/user/payouts', { amount: '10.00', paymentMethod: 'bank' }))
  const ear = await listen(trader)
  await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
  await ear.hears('payouts')
  expect((await trader.get('/api/user/payouts')).body).toMatchObject([{ status: 'approved' }])
})
