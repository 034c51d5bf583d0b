import { runsSeparately } from '#test-support/separate-services.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { tokenOf } from '#test-support/mail-links.ts'
import { newEmail, openPortal, type Portal, registration, type Trader } from '#test-support/portal.ts'
import { limits } from './limits.ts'
import { AccessKeys } from '#services/identity/staff/server/access-keys.ts'

/** Behind a proxy, so that each test can use its own addresses. */
let portal: Portal

beforeAll(async () => {
  portal = await openPortal({ environment: { TRUSTED_PROXIES: '1' } })
})
afterAll(async () => portal.stop())

let addresses = 0

/** An address unique among these tests. */
function newAddress(): string {
  addresses += 1
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

/** Guesses beyond every limit per account, a few at least, and an even number. */
const GUESSES = limits.attempts.signInAccount.attempts + 4
const WRONG = 'wrong password'

/** For tests that compute hundreds of hashes on a busy machine. */
const LONG = 240_000

const login = (email: string, password: string, address: string, visitor: Browser = portal.browser()) =>
  visitor.post('/api/login', { email, password }, from(address))

/** This many answers, one request after the other. */
async function oneByOne(count: number, ask: (i: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let i = 0; i < count; i++) answers.push(await ask(i))
  return answers
}

const atOnce = (count: number, ask: (i: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i)))

const withStatus = (answers: readonly Answer[], status: number) => answers.filter((answer) => answer.status === status)

const waitOf = ({ headers }: Answer): number => Number(headers.get('retry-after'))

/** Checks that some requests passed and the others got a 429 with Retry-After. */
function expectThrottled(answers: readonly Answer[], statusBefore: number): void {
  const refused = withStatus(answers, 429)
  const strange = answers.filter(({ status }) => status !== statusBefore && status !== 429)
  // With their texts, so that a failure says what was answered.
  expect(strange.map(({ status, text }) => `${status} ${text}`)).toEqual([])
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of refused) {
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(answer.body).toEqual({
      message: expect.stringMatching(/^Too many attempts\. Please try again in \d+ (seconds|minutes)\.$/),
    })
  }
}

/** Guesses at an account from new addresses until strangers are refused. */
async function lock({ email }: { readonly email: string }): Promise<void> {
  const answers = await atOnce(GUESSES, () => login(email, WRONG, newAddress()))
  expectThrottled(answers, 401)
}

describe('sign-in', () => {
  it('answers continued guesses from one address with 429', async () => {
    const { email } = await portal.trader()
    const address = newAddress()
    const answers = await oneByOne(GUESSES, () => login(email, WRONG, address))
    expectThrottled(answers, 401)
    // Once refused, no further guess passes.
    const first = answers.findIndex(({ status }) => status === 429)
    expect(withStatus(answers.slice(first), 429)).toHaveLength(answers.length - first)
  })

  it('counts guesses at one account over all addresses', async () => {
    const { email } = await portal.trader()
    expectThrottled(await atOnce(GUESSES, () => login(email, WRONG, newAddress())), 401)
  })

  it('counts them whatever the case of the email', async () => {
    const { email } = await portal.trader()
    const cases = [email, email.toUpperCase(), `${email.slice(0, 1).toUpperCase()}${email.slice(1)}`]
    expectThrottled(await atOnce(GUESSES, (i) => login(cases[i % cases.length] ?? email, WRONG, newAddress())), 401)
  })

  it(
    'lets no more guesses through at once than one by one',
    async () => {
      const [one, other] = [await portal.trader(), await portal.trader()]
      const slow = await oneByOne(GUESSES, () => login(one.email, WRONG, newAddress()))
      const fast = await atOnce(2 * GUESSES, () => login(other.email, WRONG, newAddress()))
      expectThrottled(fast, 401)
      expect(withStatus(fast, 401)).toHaveLength(withStatus(slow, 401).length)
    },
    LONG,
  )

  it("refuses strangers' right password too while an account is locked", async () => {
    const ada = await portal.trader()
    await lock(ada)
    const [right, wrong] = [
      await login(ada.email, ada.password, newAddress()),
      await login(ada.email, WRONG, newAddress()),
    ]
    expect([right.status, wrong.status]).toEqual([429, 429])
  })

  it('treats an unknown email alike', async () => {
    const [known, unknown] = [(await portal.trader()).email, newEmail()]
    const [of, ofNobody] = [
      await atOnce(GUESSES, () => login(known, WRONG, newAddress())),
      await atOnce(GUESSES, () => login(unknown, WRONG, newAddress())),
    ]
    expectThrottled(ofNobody, 401)
    expect(withStatus(ofNobody, 429)).toHaveLength(withStatus(of, 429).length)
  })

  it(
    'lets an office of fifty behind one address in, typing errors included',
    async () => {
      const office = newAddress()
      const traders = await Promise.all(Array.from({ length: 50 }, () => portal.trader()))
      const statuses = await Promise.all(
        traders.map(async ({ email, password }) => {
          const typos = await oneByOne(2, () => login(email, WRONG, office))
          const right = await login(email, password, office)
          return [...typos, right].map(({ status }) => status)
        }),
      )
      expect(statuses).toEqual(traders.map(() => [401, 401, 200]))
    },
    LONG,
  )

  // Each process counts what is under way in it.
  it.skipIf(runsSeparately)('from one network leaves room for others, however many succeed at once', async () => {
    const [one, two, three, other] = [
      await portal.trader(),
      await portal.trader(),
      await portal.trader(),
      await portal.trader(),
    ]
    const address = newAddress()
    let isOver = false
    const flood = Promise.all(
      [one, two, three].map(({ email, password }) => atOnce(40, () => login(email, password, address))),
    ).finally(() => (isOver = true))
    const statuses = new Set<number>()
    while (!isOver) statuses.add((await login(other.email, other.password, newAddress())).status)
    expect([...statuses]).toEqual([200])
    const answers = (await flood).flat()
    expect(withStatus(answers, 200).length).toBeGreaterThanOrEqual(limits.passwords.perNetwork)
    expectThrottled(answers, 200)
  })

  // Each process counts what is under way in it.
  it.skipIf(runsSeparately).each([
    [
      'confirmations',
      (who: Trader, address: string) =>
        who.post('/api/user/factors/confirmation', { secret: who.password }, from(address)),
      200,
    ],
    [
      'changes of passwords',
      (who: Trader, address: string) => {
        const body = { currentPassword: WRONG, newPassword: 'a better horse', confirmPassword: 'a better horse' }
        return who.post('/api/user/change-password', body, from(address))
      },
      400,
    ],
  ] as const)('from one network leaves room for others, also for %s', async (_, ask, status) => {
    const traders = [await portal.trader(), await portal.trader(), await portal.trader(), await portal.trader()]
    const address = newAddress()
    // Each person may try a few more times.
    const each = limits.attempts.passwordAccount.attempts - 2
    const answers = (await Promise.all(traders.map((trader) => atOnce(each, () => ask(trader, address))))).flat()
    expectThrottled(answers, status)
    expect(withStatus(answers, status).length).toBeGreaterThanOrEqual(limits.passwords.perNetwork)
  })

  it('does not count successful sign-ins', async () => {
    const ada = await portal.trader()
    const address = newAddress()
    const halves = [1, 2].map(() => () => atOnce(GUESSES / 2, () => login(ada.email, ada.password, address)))
    for (const half of halves) expect(withStatus(await half(), 200)).toHaveLength(GUESSES / 2)
  })

  it(
    'stops one address that tries many accounts, and locks none of them',
    async () => {
      const ada = await portal.trader()
      const address = newAddress()
      // One guess each at new accounts, many at a time.
      const answers: Answer[] = []
      while (withStatus(answers, 429).length === 0 && answers.length < 20 * GUESSES)
        answers.push(...(await atOnce(GUESSES, () => login(newEmail(), WRONG, address))))
      expectThrottled(answers, 401)
      // Attempts refused for the address do not count against the account.
      expect(withStatus(await atOnce(GUESSES, () => login(ada.email, WRONG, address)), 429)).toHaveLength(GUESSES)
      expect((await login(ada.email, ada.password, newAddress())).status).toBe(200)
    },
    LONG,
  )
})

describe('the owner of an account under attack', () => {
  it('can sign in from a known browser', async () => {
    const ada = await portal.trader()
    const known = portal.browser()
    await login(ada.email, ada.password, newAddress(), known)
    await known.post('/api/logout')
    await lock(ada)
    expect((await login(ada.email, ada.password, newAddress(), known)).status).toBe(200)
  })

  it('can sign in from the browser that registered', async () => {
    const ada = await portal.trader()
    await ada.post('/api/logout')
    await lock(ada)
    expect((await login(ada.email, ada.password, newAddress(), ada)).status).toBe(200)
  })

  it('can sign in from anywhere after a mailed reset', async () => {
    const ada = await portal.trader()
    await lock(ada)
    await resetPassword(ada, portal.browser())
    expect((await login(ada.email, 'a new password', newAddress())).status).toBe(200)
  })

  it('can sign in from the resetting browser during the attack', async () => {
    const ada = await portal.trader()
    const own = portal.browser()
    await lock(ada)
    await resetPassword(ada, own)
    await lock(ada)
    expect((await login(ada.email, 'a new password', newAddress(), own)).status).toBe(200)
  })

  it('can sign in after a reset on a browser with failed attempts', async () => {
    const ada = await portal.trader()
    const known = portal.browser()
    await login(ada.email, ada.password, newAddress(), known)
    expectThrottled(await oneByOne(GUESSES, () => login(ada.email, WRONG, newAddress(), known)), 401)
    expect((await login(ada.email, ada.password, newAddress(), known)).status).toBe(429)
    await resetPassword(ada, known)
    expect((await login(ada.email, 'a new password', newAddress(), known)).status).toBe(200)
  })

  it("can ask for a link from a known browser after strangers' requests, and use it after strangers' wrong links", async () => {
    const ada = await portal.trader()
    const forgot = (browser: Browser) => browser.post('/api/forgot-password', { email: ada.email }, from(newAddress()))
    await atOnce(GUESSES, () => forgot(portal.browser()))
    expect((await forgot(ada)).status).toBe(200)
    const request = (await portal.userEvents(ada.id)).findLast(({ type }) => type === 'PasswordResetRequested')
    if (request?.type !== 'PasswordResetRequested') throw new Error('No link was asked for')
    const reset = (token: string) =>
      portal.browser().post('/api/reset-password', { token, password: 'a new password' }, from(newAddress()))
    expectThrottled(await atOnce(GUESSES, (i) => reset(`${ada.id}.guess${i}`)), 400)
    expect((await reset(request.data.token)).status).toBe(200)
  })

  it('does not wait longer because guesses continue', async () => {
    const ada = await portal.trader()
    const answers = await oneByOne(GUESSES, () => login(ada.email, WRONG, newAddress()))
    const waits = withStatus(answers, 429).map(waitOf)
    expect(waits.length).toBeGreaterThan(1)
    expect(waits).toEqual([...waits].sort((a, b) => b - a))
    expect(waits[0]).toBeLessThanOrEqual(15 * 60)
  })

  it("is not locked out by the email's previous owner", async () => {
    const before = await portal.trader()
    const { email } = before
    expect((await before.patch('/api/user/profile', { email: newEmail() })).status).toBe(200)
    const ada = await portal.trader({ email })
    expectThrottled(await atOnce(GUESSES, () => login(email, WRONG, newAddress(), before)), 401)
    expect((await login(email, ada.password, newAddress(), ada)).status).toBe(200)
  })

  it('stays known to their browser when the email changes', async () => {
    const ada = await portal.trader()
    const email = newEmail()
    expect((await ada.patch('/api/user/profile', { email })).status).toBe(200)
    await lock({ email })
    expect((await login(email, ada.password, newAddress(), ada)).status).toBe(200)
  })

  it("is not recognised by another account's browser", async () => {
    const ada = await portal.trader()
    const stranger = await portal.trader()
    await login(stranger.email, stranger.password, newAddress(), stranger)
    await lock(ada)
    expect((await login(ada.email, ada.password, newAddress(), stranger)).status).toBe(429)
    stranger.cookies.set('proofdesk-device', 'made-up')
    expect((await login(ada.email, ada.password, newAddress(), stranger)).status).toBe(429)
  })

  const resetPassword = async ({ email }: Trader, visitor: Browser) => {
    await visitor.post('/api/forgot-password', { email }, from(newAddress()))
    const mail = await portal.mailWith(email, ({ text }) => text?.includes('/reset-password?token=') ?? false)
    const set = { token: tokenOf(mail), password: 'a new password' }
    expect((await visitor.post('/api/reset-password', set, from(newAddress()))).status).toBe(200)
  }
})

describe('the access key', () => {
  const guess = (address: string, visitor: Browser = portal.browser(), accessKey = 'wrong key') =>
    visitor.post('/api/admin/login', { accessKey }, from(address))

  it('limits guesses with 429 and Retry-After', async () => {
    const address = newAddress()
    const answers = await oneByOne(GUESSES, (i) => guess(address, portal.browser(), `wrong key ${i}`))
    expectThrottled(answers, 401)
    for (const { body } of withStatus(answers, 401)) expect(body).toEqual({ message: 'Invalid access key' })
    // Right or wrong, keys from there are refused; from elsewhere the right key works.
    expect((await guess(address, portal.browser(), portal.adminKey)).status).toBe(429)
    expect((await guess(newAddress(), portal.browser(), portal.adminKey)).status).toBe(200)
  })

  it('limits concurrent guesses like sequential ones', async () => {
    const [one, other] = [newAddress(), newAddress()]
    const slow = await oneByOne(GUESSES, () => guess(one))
    const fast = await atOnce(2 * GUESSES, () => guess(other))
    expectThrottled(fast, 401)
    expect(withStatus(fast, 401)).toHaveLength(withStatus(slow, 401).length)
  })

  it("still works from a known browser at an attacker's address", async () => {
    const address = newAddress()
    const known = portal.browser()
    await guess(address, known, portal.adminKey)
    await known.post('/api/admin/logout')
    expectThrottled(await atOnce(GUESSES, () => guess(address)), 401)
    expect((await guess(address, known, portal.adminKey)).status).toBe(200)
  })
})

describe('wrong access keys', () => {
  let own: Portal
  const guess = (address: string, visitor: Browser = own.browser(), accessKey = 'wrong key') =>
    visitor.post('/api/admin/login', { accessKey }, from(address))
  const refusals = async (stream?: string) =>
    (await own.events(stream)).filter(({ type }) => type === 'AdminSignInRefused')

  beforeEach(async () => {
    own = await openPortal({ environment: { TRUSTED_PROXIES: '1' } })
  })
  afterEach(async () => own.stop())

  it('are one event per quarter-hour, however many', async () => {
    const answers = await atOnce(GUESSES, () => guess(newAddress()))
    expect(withStatus(answers, 401)).toHaveLength(GUESSES)
    expect(await refusals()).toMatchObject([{ stream: 'admin-unknown', data: { why: 'unknown' } }])
  })

  it('are one event for each revoked key', async () => {
    const { repositories, secrets, sessionStore } = own.running.parts
    const keys = new AccessKeys(repositories, secrets)
    const revoked = await Promise.all(['one', 'other'].map((label) => keys.issue(label, 'admin', 'test')))
    for (const { id } of revoked) await keys.revoke(id, 'test', sessionStore)
    for (const { accessKey } of revoked) await oneByOne(5, () => guess(newAddress(), own.browser(), accessKey))
    for (const { id } of revoked) expect(await refusals(`admin-${id}`)).toMatchObject([{ data: { why: 'revoked' } }])
  })

  it('are counted per IPv6 network', async () => {
    const answers = await atOnce(GUESSES, (i) => guess(`2001:db8:0:1::${(i + 1).toString(16)}`))
    expectThrottled(answers, 401)
    expect((await guess('2001:db8:0:2::1')).status).toBe(401)
  })

  it('are limited over all networks, except for known browsers', async () => {
    const { attempts } = limits.attempts.accessKeyInstallation
    const [known, unknown] = [own.browser(), own.browser()]
    expect((await guess(newAddress(), known, own.adminKey)).status).toBe(200)
    const answers = await atOnce(attempts + 20, () => guess(newAddress()))
    expectThrottled(answers, 401)
    expect(withStatus(answers, 401)).toHaveLength(attempts)
    // A stranger gets the same answer for right and wrong keys.
    expect((await guess(newAddress(), unknown, own.adminKey)).status).toBe(429)
    expect((await guess(newAddress(), known, own.adminKey)).status).toBe(200)
  })
})

describe('registration', () => {
  const register = (at: Portal, address: string, email = newEmail()) =>
    at.browser().post('/api/register', { ...registration, email }, from(address))

  it('is limited to twenty per network and hour', async () => {
    const own = await openPortal({ environment: { TRUSTED_PROXIES: '1', REGISTRATIONS_PER_HOUR: '' } })
    try {
      const taken = newEmail()
      const answers = [
        ...(await oneByOne(2, () => register(own, '203.0.113.7', taken))),
        ...(await atOnce(28, () => register(own, '203.0.113.7'))),
      ]
      expect([201, 409, 429].map((status) => withStatus(answers, status).length)).toEqual([19, 1, 10])
      for (const answer of withStatus(answers, 429)) expect(waitOf(answer)).toBeGreaterThan(0)
      expect(Math.max(...withStatus(answers, 429).map(waitOf))).toBeLessThanOrEqual(3_600)
      // Invalid requests do not count, and other networks are unaffected.
      expect((await own.browser().post('/api/register', {}, from('203.0.113.8'))).status).toBe(400)
      expect((await register(own, '203.0.113.8')).status).toBe(201)
    } finally {
      await own.stop()
    }
  })

  it.each([
    ['3', 3],
    ['0', 8],
  ])('is bounded as REGISTRATIONS_PER_HOUR=%s says', async (variable, passed) => {
    const own = await openPortal({ environment: { TRUSTED_PROXIES: '1', REGISTRATIONS_PER_HOUR: variable } })
    try {
      expect(withStatus(await atOnce(8, () => register(own, '203.0.113.7')), 201)).toHaveLength(passed)
    } finally {
      await own.stop()
    }
  })
})

describe('asking for a reset link', () => {
  const forgot = (email: string, address: string) =>
    portal.browser().post('/api/forgot-password', { email }, from(address))

  it('sends so many mails to an address, and answers all alike, known or unknown', async () => {
    const [known, unknown] = [await portal.trader(), newEmail()]
    const answers = [
      ...(await atOnce(GUESSES, () => forgot(known.email, newAddress()))),
      ...(await atOnce(GUESSES, () => forgot(unknown, newAddress()))),
    ]
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(await requestsOf(known)).toHaveLength(limits.attempts.forgotAccount.attempts)
  })

  it('is limited per address', async () => {
    const address = newAddress()
    expectThrottled(await atOnce(3 * GUESSES, () => forgot(newEmail(), address)), 200)
  })

  it("uses up nothing of the owner's, however often strangers ask", async () => {
    const ada = await portal.trader()
    expect((await forgot(ada.email, newAddress())).status).toBe(200)
    await atOnce(GUESSES, () => forgot(ada.email, newAddress()))
    // Theirs from a browser that nobody knows: each of the links works, and one that works is in the mailbox.
    expect((await forgot(ada.email, newAddress())).status).toBe(200)
    const [first] = await requestsOf(ada)
    if (first?.type !== 'PasswordResetRequested') throw new Error('No link was asked for')
    const { token } = first.data
    await portal.mailWith(ada.email, (mail) => mail.text?.includes(`token=${encodeURIComponent(token)}`) ?? false)
    const reset = () =>
      portal.browser().post('/api/reset-password', { token, password: 'a new password' }, from(newAddress()))
    expect((await reset()).status).toBe(200)

    // All links ended with the password, so another one is sent.
    const before = (await requestsOf(ada)).length
    expect((await forgot(ada.email, newAddress())).status).toBe(200)
    expect(await requestsOf(ada)).toHaveLength(before + 1)
  })

  const requestsOf = async ({ id }: Pick<Trader, 'id'>) =>
    (await portal.userEvents(id)).filter(({ type }) => type === 'PasswordResetRequested')
})

describe("a trader's own changes", () => {
  const ask = { amount: '10.00', paymentMethod: 'bank' }

  it('of the profile are limited per person and hour, and those without effect do not count', async () => {
    const [ada, grace] = [await portal.trader(), await portal.trader()]
    const { attempts } = limits.attempts.profilePerson
    expect(
      withStatus(await oneByOne(5, () => ada.patch('/api/user/profile', { city: registration.city })), 200),
    ).toHaveLength(5)
    const answers = await oneByOne(attempts + 5, (i) => ada.patch('/api/user/profile', { city: `City ${i}` }))
    expectThrottled(answers, 200)
    expect(withStatus(answers, 200)).toHaveLength(attempts)
    expect(Math.max(...withStatus(answers, 429).map(waitOf))).toBeLessThanOrEqual(3_600)
    expect((await portal.userEvents(ada.id)).filter(({ type }) => type === 'ProfileChanged')).toHaveLength(attempts)
    expect((await grace.patch('/api/user/profile', { city: 'Paris' })).status).toBe(200)
  })

  it('of the email are limited further, also those refused because an address is taken', async () => {
    const [ada, taken] = [await portal.trader(), (await portal.trader()).email]
    const { attempts } = limits.attempts.emailPerson
    const answers = await oneByOne(attempts + 5, () => ada.patch('/api/user/profile', { email: taken }))
    expectThrottled(answers, 409)
    expect(withStatus(answers, 409)).toHaveLength(attempts)
    expect((await ada.patch('/api/user/profile', { email: newEmail() })).status).toBe(429)
    expect((await ada.patch('/api/user/profile', { email: ada.email, city: 'Paris' })).status).toBe(200)
  })

  it('with payout requests are limited, repeated ones not counted', async () => {
    const admin = await portal.admin()
    const ada = await portal.trader()
    await admin.patch(`/api/admin/user/${ada.id}/account`, { payoutEnabled: true })
    const { attempts } = limits.attempts.payoutPerson
    const repeated = () => ada.post('/api/user/payouts', ask, { headers: { 'idempotency-key': 'the same' } })
    expect(withStatus(await oneByOne(10, repeated), 201)).toHaveLength(10)
    const answers = await atOnce(attempts + 4, () => ada.post('/api/user/payouts', ask))
    expectThrottled(answers, 201)
    expect(withStatus(answers, 201)).toHaveLength(attempts - 1)
  })

  it('are unlimited with TRADER_CHANGES_PER_HOUR=0', async () => {
    const own = await openPortal({ environment: { TRADER_CHANGES_PER_HOUR: '0' } })
    try {
      const ada = await own.trader()
      const { attempts } = limits.attempts.profilePerson
      const answers = await oneByOne(attempts + 5, (i) => ada.patch('/api/user/profile', { city: `City ${i}` }))
      expect(withStatus(answers, 200)).toHaveLength(attempts + 5)
    } finally {
      await own.stop()
    }
  })
})

describe('setting a password', () => {
  const reset = (token: string, address: string) =>
    portal.browser().post('/api/reset-password', { token, password: 'a new password' }, from(address))

  it("limits guesses at one account's token over all addresses", async () => {
    const { id } = await portal.trader()
    expectThrottled(await atOnce(GUESSES, (i) => reset(`${id}.guess${i}`, newAddress())), 400)
  })

  it('limits guesses from one address', async () => {
    const address = newAddress()
    expectThrottled(await atOnce(3 * GUESSES, (i) => reset(`nobody${100 + i}.guess`, address)), 400)
  })

  it('limits guesses at the current password in an open session', async () => {
    const ada = await portal.trader()
    const guess = { currentPassword: WRONG, newPassword: 'a new password', confirmPassword: 'a new password' }
    expectThrottled(await oneByOne(GUESSES, () => ada.post('/api/user/change-password', guess)), 400)
  })
})
