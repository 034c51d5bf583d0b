import { afterAll, describe, expect, it } from 'vitest'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import { newEmail, openPortal, type Trader } from '#test-support/portal.ts'
import { User } from '../user-api.ts'

const portal = await openPortal({ environment: { REQUIRE_CONFIRMED_EMAIL: 'payouts' } })
const admin = await portal.admin()
afterAll(() => portal.stop())

const tokenIn = (text: string | undefined) =>
  decodeURIComponent(/\/confirm-email\?token=([^\s"&<]+)/.exec(text ?? '')?.[1] ?? '')
const linkTo = async (address: string) =>
  tokenIn((await portal.mailWith(address, ({ text }) => tokenIn(text) !== '')).text)
const confirm = (token: string) => portal.browser().post('/api/confirm-email', { token })
const isConfirmed = async (trader: Trader, change?: Awaited<ReturnType<typeof confirm>>) =>
  read(User, await trader.get('/api/user', change && after(change))).emailConfirmed

describe('an address', () => {
  it('is confirmed by the link of the mail after sign-up, once', async () => {
    const trader = await portal.trader()
    expect(await isConfirmed(trader)).toBe(false)
    const token = await linkTo(trader.email)
    const confirmed = await confirm(token)
    expect(confirmed.status).toBe(200)
    expect(await isConfirmed(trader, confirmed)).toBe(true)
    expect((await confirm(token)).status).toBe(200)
    const types = (await portal.events(`user-${trader.id}`)).map(({ type }) => type)
    expect(types.filter((type) => type === 'EmailConfirmed')).toHaveLength(1)
  })

  it('is unconfirmed again after a change, and the link to the address before is worth nothing', async () => {
    const trader = await portal.trader()
    const before = await linkTo(trader.email)
    await confirm(before)
    const email = newEmail()
    const changed = await trader.patch('/api/user/profile', { email, currentPassword: trader.password })
    expect(await isConfirmed(trader, changed)).toBe(false)
    expect((await confirm(before)).status).toBe(400)
    expect(await isConfirmed(trader, await confirm(await linkTo(email)))).toBe(true)
  })

  it('is confirmed by no token of somebody else, and by none that is made up', async () => {
    const [one, other] = [await portal.trader(), await portal.trader()]
    const [, mac = ''] = (await linkTo(one.email)).split('.')
    for (const token of [`${other.id}.${mac}`, `${other.id}.`, 'nonsense', ''])
      expect((await confirm(token)).status, token).toBe(400)
    expect(await isConfirmed(other)).toBe(false)
  })

  it('gets the link again on request', async () => {
    const trader = await portal.trader()
    await linkTo(trader.email)
    expect((await trader.post('/api/user/confirm-email')).status).toBe(200)
    const types = async () => (await portal.events(`user-${trader.id}`)).map(({ type }) => type)
    expect(await types()).toContain('EmailConfirmationRequested')
    await portal.mailWith(trader.email, ({ subject }) => subject === 'Confirm your email for Proofdesk')
  })

  it('is confirmed by a password that was set by a mailed link', async () => {
    const email = newEmail()
    const { id } = read(User, await admin.post('/api/admin/users', { fullName: 'Grace Hopper', email }))
    const { text } = await portal.mailWith(email, (mail) => /reset-password/.test(mail.text ?? ''))
    const token = decodeURIComponent(/token=([^\s"&<]+)/.exec(text ?? '')?.[1] ?? '')
    const reset = await portal.browser().post('/api/reset-password', { token, password: 'lovelace and her machine' })
    expect(read(User, await admin.get(`/api/admin/user/${id}`, after(reset))).emailConfirmed).toBe(true)
  })
})

it('with REQUIRE_CONFIRMED_EMAIL=payouts asks for a confirmed address before a payout, and for payouts to be enabled first', async () => {
  const ask = (trader: Trader) => trader.post('/api/user/payouts', { amount: '10.00', paymentMethod: 'bank' })
  const blocked = await portal.trader()
  expect((await ask(blocked)).body).toMatchObject({ message: expect.stringContaining('not currently eligible') })
  const trader = await eligibleTrader(portal, admin)
  expect(await ask(trader)).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('confirm your email address first') },
  })
  expect((await portal.events(`account-${trader.id}-a1`)).map(({ type }) => type)).not.toContain('PayoutRequested')
  await confirm(await linkTo(trader.email))
  expect((await ask(trader)).status).toBe(201)
})

describe('a change of email by somebody without a second factor', () => {
  it('refuses a wrong password, takes the right one, and marks one without in the history', async () => {
    const trader = await portal.trader()
    const change = (body: object) => trader.patch('/api/user/profile', body)
    const [first, second] = [newEmail(), newEmail()]
    expect(await change({ email: first, currentPassword: 'not the password' })).toMatchObject({
      status: 400,
      body: { errors: { currentPassword: 'Your current password is not correct' } },
    })
    expect((await change({ email: first, currentPassword: trader.password })).status).toBe(200)
    expect((await change({ email: second })).status).toBe(200)
    expect((await change({ city: 'Bern' })).status).toBe(200)
    const marks = (await portal.events(`user-${trader.id}`)).flatMap(({ type, data }) =>
      type === 'ProfileChanged' ? [Object(data)['withoutPassword']] : [],
    )
    expect(marks).toEqual([undefined, true, undefined])
    const history = await trader.get('/api/user/history')
    expect(history.text).toContain('The email was changed without the password')
  })
})
