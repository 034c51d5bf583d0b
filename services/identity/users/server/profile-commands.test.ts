import { Unavailable } from '#infra/failures.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { User } from '../user-api.ts'
import { userId } from '#services/framework/ids.ts'
import { changeProfile, type ActiveEmailClaim, registerUser, userStreams } from '../user.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { emailClaims } from '../email-claim.ts'
import { EmailAddresses } from './email-addresses.ts'
import { runPolicies } from '#services/portal/modules.ts'
import { read } from '#test-support/http-calls.ts'
import { newEmail, openPortal, type Portal, registration, type Trader } from '#test-support/portal.ts'
import { newUserId } from './password-link-tokens.ts'

let portal: Portal

beforeAll(async () => {
  portal = await openPortal()
})
afterAll(async () => portal.stop())

const change = (trader: Trader, changes: object) => trader.patch('/api/user/profile', changes)

const login = (email: string, { password }: Trader) => portal.browser().post('/api/login', { email, password })

const register = (email: string) => portal.browser().post('/api/register', { ...registration, email })

const current = async (trader: Trader) => read(User, await trader.get('/api/user'))

const eventsOf = ({ id }: Trader) => portal.userEvents(id)

/** Which of these addresses a user holds a claim on, according to the log. */
async function heldBy({ id }: Trader, emails: readonly string[]): Promise<string[]> {
  const { repositories, secrets } = portal.running.parts
  const claims = repositories.of(emailClaims)
  const holders = await Promise.all(
    emails.map(async (email) => (await claims.load(secrets.emailHash(email))).state.holder),
  )
  return emails.filter((_, i) => holders[i] === id)
}

const taken = { message: 'This email is already registered', errors: { email: 'This email is already registered' } }

describe('PATCH /api/user/profile', () => {
  it('changes the five fields, shown by the next read', async () => {
    const ada = await portal.trader()
    const changes = { email: newEmail(), country: 'fr', city: 'Paris', street: 'Rue de Rivoli', houseNumber: '1 bis' }
    const answer = await change(ada, changes)
    expect(answer.status).toBe(200)
    expect(await current(ada)).toMatchObject(changes)
    expect((await login(changes.email, ada)).status).toBe(200)
  })

  it('records old and new values and the actor', async () => {
    const ada = await portal.trader()
    const answer = await change(ada, { city: 'Paris', street: registration.street })
    const [, changed, ...more] = await eventsOf(ada)
    expect(more).toEqual([])
    expect(changed).toMatchObject({
      type: 'ProfileChanged',
      data: { fields: ['city'], from: { city: registration.city }, to: { city: 'Paris' }, emailClaim: null },
    })
    expect(changed?.metadata).toMatchObject({
      actor: { kind: 'trader', id: ada.id },
      requestId: answer.headers.get('x-request-id'),
      causationId: answer.headers.get('x-request-id'),
    })
  })

  it('leaves absent fields unchanged', async () => {
    const ada = await portal.trader()
    const before = await current(ada)
    await change(ada, { city: 'Paris' })
    expect(await current(ada)).toEqual({ ...before, city: 'Paris' })
  })

  it('ignores other fields', async () => {
    const ada = await portal.trader()
    const before = await current(ada)
    const forbidden = {
      id: 'somebodyelse0000',
      fullName: 'Somebody Else',
      password: 'a new password',
      passwordHash: 'none',
      banned: true,
      banReason: 'why not',
      payoutEnabled: true,
      balance: '1000000',
      status: 'active',
      privacyPolicyAgreed: false,
      createdAt: '1999-01-01T00:00:00Z',
    }
    expect((await change(ada, forbidden)).status).toBe(200)
    expect(await eventsOf(ada)).toHaveLength(1)
    expect((await change(ada, { ...forbidden, city: 'Paris' })).status).toBe(200)
    expect(await current(ada)).toEqual({ ...before, city: 'Paris' })
    expect((await eventsOf(ada)).at(-1)?.data).toMatchObject({ fields: ['city'] })
    expect((await ada.get('/api/user/account')).body).toMatchObject({
      payoutEnabled: false,
      balance: '0.00',
      status: 'pending',
    })
    expect((await portal.events(`account-${ada.id}-a1`)).map(({ type }) => type)).toEqual(['AccountOpened'])
    expect((await login(ada.email, ada)).status).toBe(200)
  })

  it.each([
    ['email', 'nobody', 'Please enter a valid email'],
    ['email', '', 'Please enter a valid email'],
    ['city', 'x'.repeat(201), 'Must be at most 200 characters'],
    ['street', 12, 'Invalid input'],
  ])('refuses %s %j with "%s"', async (field, value, message) => {
    const ada = await portal.trader()
    const { status, body } = await change(ada, { [field]: value, houseNumber: '99' })
    expect(status).toBe(400)
    expect(body).toEqual({ message, errors: { [field]: message } })
    expect(await eventsOf(ada)).toHaveLength(1)
  })

  it('records nothing when nothing changed', async () => {
    const ada = await portal.trader()
    const { email, country, city, street, houseNumber } = await current(ada)
    const before = await portal.events()
    for (const same of [{}, { email }, { email, country, city, street, houseNumber }])
      expect((await change(ada, same)).status).toBe(200)
    expect(await portal.events()).toHaveLength(before.length)
  })
})

describe('an email', () => {
  it('in use is refused with 409, in any case, without other changes', async () => {
    const [ada, grace] = [await portal.trader(), await portal.trader()]
    const before = await portal.events()
    for (const email of [grace.email, grace.email.toUpperCase()]) {
      const answer = await change(ada, { email, city: 'Paris' })
      expect(answer.status).toBe(409)
      expect(answer.body).toEqual(taken)
    }
    expect(await portal.events()).toHaveLength(before.length)
    expect(await current(ada)).toMatchObject({ email: ada.email, city: registration.city })
  })

  it('given up no longer signs in and is free at once', async () => {
    const ada = await portal.trader()
    expect((await change(ada, { email: newEmail() })).status).toBe(200)
    expect((await login(ada.email, ada)).status).toBe(401)
    const answer = await register(ada.email)
    expect(answer.status).toBe(201)
    // It belongs to another user now.
    expect(read(User, answer).id).not.toBe(ada.id)
    expect((await login(ada.email, ada)).body).toMatchObject({ id: read(User, answer).id })
    expect((await change(ada, { email: ada.email })).status).toBe(409)
  })

  it('given up gets no reset link', async () => {
    const ada = await portal.trader()
    await change(ada, { email: newEmail() })
    await portal.browser().post('/api/forgot-password', { email: ada.email })
    expect((await eventsOf(ada)).map(({ type }) => type)).toEqual([
      'UserRegistered',
      'ProfileChanged',
      'EmailRevertOffered',
    ])
  })

  it('given up can be claimed again', async () => {
    const ada = await portal.trader()
    const other = newEmail()
    for (const email of [other, ada.email, other, ada.email]) expect((await change(ada, { email })).status).toBe(200)
    expect(await current(ada)).toMatchObject({ email: ada.email })
    expect((await login(ada.email, ada)).status).toBe(200)
    expect(await heldBy(ada, [ada.email, other])).toEqual([ada.email])
    expect((await register(other)).status).toBe(201)
  })

  it('can change in letter case only, and stays its owner’s', async () => {
    const ada = await portal.trader()
    const shouted = ada.email.toUpperCase()
    expect((await change(ada, { email: shouted })).status).toBe(200)
    expect(await current(ada)).toMatchObject({ email: shouted })
    for (const email of [ada.email, shouted]) {
      expect((await login(email, ada)).body).toMatchObject({ id: ada.id })
      expect((await register(email)).status).toBe(409)
    }
    expect(await heldBy(ada, [ada.email])).toEqual([ada.email])
  })

  it('claimed by two users at once goes to one of them', async () => {
    const traders = await Promise.all(Array.from({ length: 8 }, () => portal.trader()))
    const email = newEmail()
    const answers = await Promise.all(traders.map((trader) => change(trader, { email })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(traders.length - 1)
    const winner = traders[answers.findIndex(({ status }) => status === 200)]
    expect((await login(email, traders[0] ?? failed())).body).toMatchObject({ id: winner?.id })
    for (const trader of traders)
      expect(await current(trader)).toMatchObject({ email: trader === winner ? email : trader.email })
  })

  it('claimed by a sign-up and a change goes to one', async () => {
    const ada = await portal.trader()
    const email = newEmail()
    const [changed, registered] = await Promise.all([change(ada, { email }), register(email)])
    expect([changed.status, registered.status].filter((status) => status === 409)).toHaveLength(1)
    expect([changed.status, registered.status].filter((status) => status < 300)).toHaveLength(1)
    const owner = changed.status === 200 ? ada.id : read(User, registered).id
    expect((await login(email, ada)).body).toMatchObject({ id: owner })
  })

  it('cannot be swapped directly between two users', async () => {
    const [ada, grace] = [await portal.trader(), await portal.trader()]
    const answers = await Promise.all([change(ada, { email: grace.email }), change(grace, { email: ada.email })])
    expect(answers.map(({ status }) => status)).toEqual([409, 409])
    // Through a third address it works.
    const other = newEmail()
    expect((await change(ada, { email: other })).status).toBe(200)
    expect((await change(grace, { email: ada.email })).status).toBe(200)
    expect((await change(ada, { email: grace.email })).status).toBe(200)
    expect((await login(ada.email, grace)).body).toMatchObject({ id: grace.id })
    expect((await login(grace.email, ada)).body).toMatchObject({ id: ada.id })
  })

  it('stays its user’s during concurrent changes', async () => {
    const ada = await portal.trader()
    const emails = [ada.email, newEmail(), newEmail()]
    for (let round = 0; round < 6; round++) {
      // Like a form that always sends all of its fields.
      const answers = await Promise.all(
        emails.flatMap((email) => [change(ada, { email, city: `${round}` }), change(ada, { email })]),
      )
      for (const { status } of answers) expect([200, 409]).toContain(status)
      const { state } = await portal.running.parts.repositories.of(userStreams).load(ada.id)
      expect(state.emailClaim).toBe(portal.running.parts.secrets.emailHash(state.email))
      expect(await heldBy(ada, emails)).toContain(state.email)
      expect((await login(state.email, ada)).body).toMatchObject({ id: ada.id })
      for (const email of emails.filter((other) => other !== state.email))
        expect((await login(email, ada)).status).toBe(401)
    }
  })
})

describe('a claim on an email', () => {
  const context = systemContext('test', 'test')
  const people = () => portal.running.parts.repositories.of(userStreams)

  /** The process with an adjustable clock: now plus this many ms. */
  const addressesIn = (ms: number) => {
    const { repositories, secrets } = portal.running.parts
    return new EmailAddresses(repositories, secrets, () => Date.now() + ms)
  }
  const LONG = 60_000

  /** The event that a crash prevented. */
  const registerWith = (id: ReturnType<typeof newUserId>, email: string, claim: ActiveEmailClaim) => {
    const { password: _, ...profile } = registration
    const event = { ...profile, email, emailClaim: claim.emailClaim, passwordHash: 'none' }
    return people().decide(id, context, (user) => registerUser(user, event, claim))
  }

  it('left behind by a crash blocks others only briefly', async () => {
    const email = newEmail()
    const [dead, next] = [newUserId(), newUserId()]
    await addressesIn(0).claim(dead, email, context)
    // Nobody uses it: it is not taken, only not to be had yet.
    await expect(addressesIn(0).claim(next, email, context)).rejects.toThrow(Unavailable)
    expect((await register(email)).status).toBe(503)
    expect(await addressesIn(0).findUser(email)).toBeUndefined()
    const claim = await addressesIn(LONG).claim(next, email, context)
    await registerWith(next, email, claim)
    expect(await addressesIn(0).findUser(email)).toBe(next)
  })

  it('that was taken over is useless to its slow previous holder', async () => {
    const email = newEmail()
    const [slow, next] = [newUserId(), newUserId()]
    const late = await addressesIn(0).claim(slow, email, context)
    const claim = await addressesIn(LONG).claim(next, email, context)
    await expect(registerWith(slow, email, late)).rejects.toMatchObject({ kind: 'conflict', field: 'email' })
    await registerWith(next, email, claim)
    expect(await addressesIn(0).findUser(email)).toBe(next)
  })

  it('in use is never taken over, however old', async () => {
    const ada = await portal.trader()
    await expect(addressesIn(365 * 24 * 60 * LONG).claim(newUserId(), ada.email, context)).rejects.toMatchObject({
      kind: 'conflict',
    })
    expect(await addressesIn(0).findUser(ada.email)).toBe(ada.id)
  })

  it('goes to one of many concurrent takers', async () => {
    const email = newEmail()
    await addressesIn(0).claim(newUserId(), email, context)
    const late = addressesIn(LONG)
    const heirs = Array.from({ length: 8 }, newUserId)
    const outcomes = await Promise.allSettled(
      heirs.map(async (heir) => registerWith(heir, email, await late.claim(heir, email, context))),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await late.findUser(email)).toBe(heirs[outcomes.findIndex(({ status }) => status === 'fulfilled')])
  })

  it('renewed during a takeover goes to one of the two', async () => {
    for (let round = 0; round < 20; round++) {
      const email = newEmail()
      const [holder, heir] = [newUserId(), newUserId()]
      await addressesIn(0).claim(holder, email, context)
      const { repositories, secrets } = portal.running.parts
      let back: Promise<unknown> = Promise.resolve()
      // The clock is read just before the old claim lapses: that is when its holder returns.
      const late = new EmailAddresses(repositories, secrets, () => {
        back = addressesIn(0)
          .claim(holder, email, context)
          .then((claim) => registerWith(holder, email, claim))
        back.catch(() => {})
        return Date.now() + LONG
      })
      const taking = late.claim(heir, email, context).then((claim) => registerWith(heir, email, claim))
      const outcomes = await Promise.allSettled([
        taking,
        taking.then(
          () => back,
          () => back,
        ),
      ])
      const winners = [heir, holder].filter((_, i) => outcomes[i]?.status === 'fulfilled')
      expect(winners.length).toBeLessThanOrEqual(1)
      expect(await addressesIn(0).findUser(email)).toBe(winners[0])
    }
  })

  it('renewed by its user is not released for an earlier change', async () => {
    const ada = await portal.trader()
    const id = userId.parse(ada.id)
    await change(ada, { email: newEmail() })
    const given = (await eventsOf(ada)).at(-1) ?? failed()
    // On the way back to the old address, the worker reaches the first change between claim and change.
    const claim = await addressesIn(0).claim(id, ada.email, context)
    await runPolicies(given, portal.running.parts.policyDependencies)
    await people().decide(id, context, (user) => changeProfile(user, { email: ada.email }, claim))
    expect((await login(ada.email, ada)).body).toMatchObject({ id: ada.id })
    expect((await register(ada.email)).status).toBe(409)
  })

  it('left by a crash is renewed when its user returns to it', async () => {
    const ada = await portal.trader()
    const id = userId.parse(ada.id)
    const other = newEmail()
    // The first change, interrupted before the old address was released.
    const claim = await addressesIn(0).claim(id, other, context)
    const { position } = await people().decide(id, context, (user) => changeProfile(user, { email: other }, claim))
    const back = await addressesIn(0).claim(id, ada.email, context)
    // Completing the first change now finds a newer claim and leaves it alone.
    await addressesIn(0).release(id, portal.running.parts.secrets.emailHash(ada.email), context, position)
    await people().decide(id, context, (user) => changeProfile(user, { email: ada.email }, back))
    expect((await login(ada.email, ada)).body).toMatchObject({ id: ada.id })
  })
})

function failed(): never {
  throw new Error('There is none')
}
