import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { IDEMPOTENCY_HEADER, RETRY_HEADER } from '#services/framework/api/headers.ts'
import { createSecrets, type Secrets } from '#services/process/keys/derived-secrets.ts'
import type { Random } from '../../demo/random.ts'
import { type Answer, type Browser, browser } from '#test-support/http-client.ts'
import { pdf, uploadCertificate } from '#test-support/http-calls.ts'
import { type ExpectedChange, type ExpectedEvents, label, personalLabel, sequenceOf } from './expected-events.ts'
import { registration } from '#test-support/portal.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { seededRandom } from '#test-support/random-seed.ts'
import { retryWithSignIn } from '#test-support/returning-client.ts'
import { until } from '#test-support/until.ts'

/** How often a request that is held back looks whether it may be sent, in ms. */
const GATE_INTERVAL_MS = 10

/** A portal for its clients. It may go away and come back at other addresses. */
export class PortalTarget {
  #urls: { readonly read: string; readonly change: string } = { read: '', change: '' }
  #isOpen = false
  /** A request that breaks after one more is expected to. */
  #closings = 0
  /** Requests that broke although nothing was killed. */
  readonly cut: string[] = []
  /** The time that each answer took, in ms. */
  readonly waits: { readonly call: string; readonly status: number; readonly ms: number }[] = []
  /** Requests without an answer yet. */
  readonly #inFlight = new Set<{ readonly call: string; readonly sentAt: number }>()

  readonly urlFor = (method: string) => (method === 'GET' ? this.#urls.read : this.#urls.change)

  /** Requests go to these addresses from now on. */
  setUrls(urls: { readonly read: string; readonly change: string }): void {
    this.#urls = urls
  }

  /** Lets clients send requests. */
  open(): void {
    this.#isOpen = true
  }

  /** Holds further requests back. Call it before a kill: what breaks from now on is expected. */
  close(): void {
    this.#isOpen = false
    this.#closings += 1
  }

  /** Waits until no request is in flight. */
  async waitUntilIdle(ms = 10_000): Promise<void> {
    await until(async () => this.#inFlight.size === 0, 'all requests to end', ms).catch((error: unknown) => {
      const waiting = [...this.#inFlight].map(
        ({ call, sentAt }) => `${call} for ${Math.round(performance.now() - sentAt)} ms`,
      )
      throw new Error(`${String(error)}: ${waiting.join(', ')}`)
    })
  }

  /** Sends a request once clients may. Returns undefined when the answer is lost. */
  async send(method: string, path: string, work: () => Promise<Answer>): Promise<Answer | undefined> {
    while (!this.#isOpen) await delay(GATE_INTERVAL_MS)
    const closings = this.#closings
    const request = { call: `${method} ${path}`, sentAt: performance.now() }
    this.#inFlight.add(request)
    try {
      const answer = await work()
      this.waits.push({ call: request.call, status: answer.status, ms: performance.now() - request.sentAt })
      return answer
    } catch (error) {
      // fetch throws a TypeError when a connection breaks; anything else is an answer that breaks the API.
      if (!(error instanceof TypeError)) throw error
      if (closings === this.#closings) this.cut.push(`${request.call}: ${String(error.cause)}`)
      return undefined
    } finally {
      this.#inFlight.delete(request)
    }
  }
}

export interface SimulatedUser {
  readonly id: string
  readonly random: Random
  email: string
  /** A requested change of the email that is not answered yet. */
  emailToBe?: string
  readonly password: string
  /** Signed-in browsers; none for a user whom an administrator created. */
  readonly browsers: Browser[]
  banned: boolean
  deleted: boolean
  /** A change of what the sessions may do is in flight. */
  unsettled: boolean
  payoutsEnabled: boolean
  readonly payouts: Map<string, { readonly amount: string; status: 'pending' | 'approved' | 'rejected' }>
}

const identity = z.looseObject({ id: z.string() })
const identities = z.array(z.looseObject({ id: z.string(), name: z.string().optional(), email: z.string().optional() }))
const refusal = z.strictObject({ message: z.string().min(1) })

export interface WorkloadOptions {
  /**
   * Servers may fail. Then a change may also be answered 503, and its outcome is unknown; sessions may end; and
   * everything takes longer.
   */
  readonly outages?: boolean
}

/** The time in ms that work left to the worker may take while one server after the other fails. */
const OUTAGE_TIMEOUT_MS = 1_800_000
/** The longest pause in ms between two actions of a client, where more clients than the machine has cores share it. */
const THINK_TIME_MS = 1_000
/** The least pause in ms before a refused request is sent again; twice as long at most. */
const RETRY_PAUSE_MS = 100

/**
 * Clients that do a random mix of everything. A client whose answer is lost sends the same request until it is
 * answered. Each client has users of its own, so the expected events and their order are known.
 */
export class Workload {
  readonly people: SimulatedUser[] = []
  readonly emailsGivenUp: string[] = []
  /** Answers that no client should ever get. */
  readonly violations: string[] = []
  /** Requests sent again because their answer was lost. */
  repeated = 0
  readonly #target: PortalTarget
  readonly #expected: ExpectedEvents
  #secrets: Pick<Secrets, 'emailHash'> = createSecrets(() => undefined)
  readonly #admin: Browser
  readonly #outages: boolean
  readonly #late: ExpectedChange[] = []
  #clients: Promise<void>[] = []
  #isStopping = false
  #count = 0
  /** For pauses and checked sessions: they must not change what the clients do. */
  readonly #random = seededRandom(1)

  constructor(target: PortalTarget, expected: ExpectedEvents, { outages = false }: WorkloadOptions = {}) {
    this.#target = target
    this.#expected = expected
    this.#outages = outages
    const admin = browser(target.urlFor)
    this.#admin = this.#staysSignedIn(admin, () => admin.post('/api/admin/login', { accessKey: ADMIN_KEY }))
  }

  async start(clients: number, secrets: Pick<Secrets, 'emailHash'>): Promise<void> {
    this.#secrets = secrets
    await this.#send('POST', '/api/admin/login', (path) => this.#admin.post(path, { accessKey: ADMIN_KEY }))
    this.#clients = Array.from({ length: clients }, (_, index) => this.#client(seededRandom(2 + index)))
    // stop() reports a client that fails.
    for (const client of this.#clients) client.catch(() => {})
  }

  /** Lets each client finish its requests. @throws the error of a client that failed. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#clients)
  }

  /** Checks the sessions of this many people. Call it while no request is in flight. */
  async checkSessions(most: number): Promise<void> {
    const { body } = await this.#admin.get('/api/admin/auth')
    if (!z.looseObject({ isAdmin: z.literal(true) }).safeParse(body).success)
      this.violations.push('the administrator is signed out')
    const settled = this.people.filter(({ unsettled, browsers }) => !unsettled && browsers.length > 0)
    for (const person of shuffled(this.#random, settled).slice(0, most)) {
      const expected = person.deleted ? 401 : person.banned ? 403 : 200
      for (const session of person.browsers.slice(-2)) {
        const answer = await until(async () => {
          const { status, body: user } = await session.get('/api/user')
          return status !== 503 && { status, user }
        }, 'the read models to answer')
        const isTheirs = answer.status !== 200 || identity.parse(answer.user).id === person.id
        if (answer.status !== expected || !isTheirs)
          this.violations.push(`a session of ${person.id} gets ${answer.status} instead of ${expected}`)
      }
    }
  }

  /** Call it once the worker has read the whole log: what the portal left to it must have happened. */
  settleLateChanges(): void {
    for (const change of this.#late.splice(0)) this.#expected.confirm(change)
  }

  async #client(random: Random): Promise<void> {
    const people: SimulatedUser[] = []
    while (!this.#isStopping) {
      if (people.length === 0 || (people.length < 8 && chance(random, 0.12))) people.push(await this.#newPerson(random))
      else await this.#act(random, people)
      if (this.#outages) await delay(random.next() * THINK_TIME_MS)
    }
  }

  /**
   * Something that one of these people does, or that is done to them: a deletion or a ban, or up to three changes at
   * once.
   */
  async #act(random: Random, people: SimulatedUser[]): Promise<void> {
    const person = random.pick(people)
    if (people.length > 3 && chance(random, 0.04)) {
      people.splice(people.indexOf(person), 1)
      return this.#delete(person)
    }
    if (chance(random, person.banned ? 0.5 : 0.06)) return this.#ban(person)
    const isActive = person.browsers.length > 0 && !person.banned
    const actions = isActive
      ? [this.#money, this.#profile, this.#payout, this.#verdict, this.#certificate, this.#signIn]
      : [this.#money, this.#verdict]
    const chosen = shuffled(random, actions).slice(0, random.whole(1, 3))
    await Promise.all(chosen.map((action) => action.call(this, person)))
  }

  /**
   * Registers a trader, or lets an administrator create one. A kill can leave the email claimed without a user: the
   * client asks until the claim lapses.
   */
  async #newPerson(random: Random): Promise<SimulatedUser> {
    const [email, byAdmin] = [`crowd${this.#next()}@example.com`, chance(random, 0.2)]
    const claim = this.#secrets.emailHash(email)
    const change = {
      [sequenceOf(`email ${claim}`, 'birth')]: [label(byAdmin ? 'UserCreated' : 'UserRegistered')],
      [sequenceOf(`email ${claim}`, 'account')]: [label('AccountOpened')],
    }
    const trader = browser(this.#target.urlFor)
    const { password, ...profile } = registration
    const path = byAdmin ? '/api/admin/users' : '/api/register'
    let [isNew, isRepeated] = [false, false]
    const create = async (): Promise<string | undefined> => {
      this.#expected.begin(change)
      const { answer, again } = await this.#send('POST', path, () =>
        byAdmin ? this.#admin.post(path, { ...profile, email }) : trader.post(path, { ...registration, email }),
      )
      isNew = answer.status === 201
      if (isNew) return identity.parse(answer.body).id
      isRepeated ||= again
      if (answer.status !== 409 || !isRepeated) this.#complain('POST', path, answer)
      const id = await this.#idOf(email)
      // What was refused while the log hung may be appended later.
      if (id === undefined && !this.#outages) this.#expected.discard(change)
      if (id === undefined) await delay(RETRY_PAUSE_MS)
      return id
    }
    const id = await until(create, 'an unused email claim to be taken over', this.#timeout(300_000))
    if (!isNew) await this.#accountOpened(id)
    this.#expected.confirm(change)
    const nothing = { banned: false, deleted: false, unsettled: false, payoutsEnabled: false, payouts: new Map() }
    const person: SimulatedUser = { id, random, email, password, browsers: [], ...nothing }
    if (isNew && !byAdmin) person.browsers.push(this.#browserOf(person, trader))
    else if (!byAdmin) await this.#signIn(person)
    this.people.push(person)
    return person
  }

  /** After a kill between user and account the worker opens the account. */
  async #accountOpened(id: string): Promise<void> {
    const path = `/api/admin/user/${id}/account`
    const isOpen = async () =>
      (await this.#target.send('PATCH', path, () => this.#admin.patch(path, {})))?.status === 200
    await until(isOpen, 'the worker to open the account of an interrupted registration', this.#timeout(30_000))
  }

  /** The id of the user with this email, if there is one. */
  async #idOf(email: string): Promise<string | undefined> {
    await this.#upToDate()
    const { answer } = await this.#send('GET', `/api/admin/users?search=${encodeURIComponent(email)}`, (path) =>
      this.#admin.get(path),
    )
    return identities.parse(answer.body).find((user) => user.email === email)?.id
  }

  async #money({ id, random }: SimulatedUser): Promise<void> {
    const [balance, profitLoss] = [this.#amount(random), this.#amount(random)]
    const phase = `Phase ${this.#next()}`
    const labels = [
      label('BalanceChanged', balance),
      label('ProfitLossChanged', profitLoss),
      label('PhaseChanged', phase),
    ]
    await this.#change({ [sequenceOf(id, 'money')]: labels }, `/api/admin/user/${id}/account`, this.#admin, {
      balance,
      profitLoss,
      phase,
    })
  }

  async #profile(person: SimulatedUser): Promise<void> {
    const { id, random } = person
    const trader = random.pick(person.browsers)
    const what = random.next()
    const change = (field: string, value: string, path: string, who: Browser) =>
      this.#change({ [sequenceOf(id, 'profile')]: [personalLabel(label('ProfileChanged', field), value)] }, path, who, {
        [field]: value,
      })
    if (what < 0.2) return this.#forgetPassword(person)
    if (what < 0.45) {
      const email = `crowd${this.#next()}@example.com`
      this.emailsGivenUp.push(person.email)
      person.emailToBe = email
      await change('email', email, '/api/user/profile', trader)
      person.email = email
      delete person.emailToBe
    } else if (what < 0.7) await change('houseNumber', String(this.#next()), `/api/admin/user/${id}`, this.#admin)
    else await change('city', `City ${this.#next()}`, '/api/user/profile', trader)
  }

  /** Each request creates a link, so a repeated one may be in the log twice. */
  async #forgetPassword({ id, email }: SimulatedUser): Promise<void> {
    const sequence = sequenceOf(id, 'forgot')
    const change = { [sequence]: [label('PasswordResetRequested')] }
    const guest = browser(this.#target.urlFor)
    const onLost = () => this.#expected.allowExtra(sequence)
    this.#expected.begin(change)
    const { answer } = await this.#send('POST', '/api/forgot-password', (path) => guest.post(path, { email }), onLost)
    if (answer.status === 200) this.#expected.confirm(change)
    else this.#expected.discard(change)
    if (answer.status !== 200 && answer.status !== 429) this.#complain('POST', '/api/forgot-password', answer)
  }

  async #payout(person: SimulatedUser): Promise<void> {
    const { id, random } = person
    const sequence = sequenceOf(id, 'payouts')
    if (!person.payoutsEnabled || chance(random, 0.1)) {
      const payoutEnabled = !person.payoutsEnabled
      const change = { [sequence]: [label(payoutEnabled ? 'PayoutsEnabled' : 'PayoutsDisabled')] }
      await this.#change(change, `/api/admin/user/${id}/account`, this.#admin, { payoutEnabled })
      person.payoutsEnabled = payoutEnabled
      return
    }
    const trader = random.pick(person.browsers)
    const amount = this.#amount(random)
    const headers = { [IDEMPOTENCY_HEADER]: randomUUID() }
    const change = { [sequence]: [label('PayoutRequested', amount)] }
    const request = () =>
      this.#send('POST', '/api/user/payouts', (path) =>
        trader.post(path, { amount, paymentMethod: 'bank', paymentDetails: `for ${amount}` }, { headers }),
      )
    this.#expected.begin(change)
    // Sometimes a double click.
    const [first, ...others] = await Promise.all(chance(random, 0.25) ? [request(), request()] : [request()])
    if (first?.answer.status !== 201) {
      if (first) this.#complain('POST', '/api/user/payouts', first.answer)
      return this.#expected.discard(change)
    }
    for (const { answer } of others)
      if (answer.text !== first.answer.text)
        this.violations.push(`one key, two answers: ${first.answer.text} and ${answer.text}`)
    this.#expected.confirm(change)
    person.payouts.set(identity.parse(first.answer.body).id, { amount, status: 'pending' })
  }

  async #verdict({ payouts, random }: SimulatedUser): Promise<void> {
    if (payouts.size === 0) return
    const [id, payout] = random.pick([...payouts])
    const status =
      payout.status === 'pending'
        ? random.pick(['approved', 'rejected'] as const)
        : payout.status === 'approved'
          ? 'rejected'
          : 'approved'
    const adminNotes = `Note ${this.#next()}`
    const type = status === 'approved' ? 'PayoutApproved' : 'PayoutRejected'
    const change = { [sequenceOf(id, 'verdicts')]: [label(type, payout.amount, payout.status, adminNotes)] }
    // 'Already approved' answers a repeated request.
    const isDone = await this.#change(change, `/api/admin/payouts/${id}`, this.#admin, { status, adminNotes }, 409)
    if (isDone) payout.status = status
  }

  /**
   * A second upload makes a second certificate: when an answer is lost, the client looks for it before it uploads
   * again.
   */
  async #certificate({ id: userId, random, browsers }: SimulatedUser): Promise<void> {
    const name = `Certificate ${this.#next()}`
    const change = { [sequenceOf(userId, 'certificates')]: [personalLabel(label('CertificateIssued'), name)] }
    const file = Buffer.concat([pdf(random.whole(1_000, 31_000)), Buffer.from(name)])
    const path = '/api/admin/certificates'
    this.#expected.begin(change)
    for (;;) {
      const sent = await this.#target.send('POST', path, () => uploadCertificate(this.#admin, { name, userId, file }))
      const answer = sent && (await this.#isUnavailable(sent)) ? undefined : sent
      if (answer && answer.status !== 201) {
        this.#complain('POST', path, answer)
        return this.#expected.discard(change)
      }
      if (!answer) this.repeated += 1
      if (answer || (await this.#hasCertificate(name, random.pick(browsers)))) return this.#expected.confirm(change)
      // What was refused while the log hung may be appended after the client has looked.
      if (this.#outages) this.#expected.allowExtra(sequenceOf(userId, 'certificates'))
    }
  }

  async #hasCertificate(name: string, trader: Browser): Promise<boolean> {
    await this.#upToDate()
    const { answer } = await this.#send('GET', '/api/user/certificates', (path) => trader.get(path))
    return identities.parse(answer.body).some((certificate) => certificate.name === name)
  }

  async #signIn(person: SimulatedUser): Promise<void> {
    const another = browser(this.#target.urlFor)
    const { email, password } = person
    const { answer } = await this.#send('POST', '/api/login', (path) => another.post(path, { email, password }))
    if (answer.status === 200) person.browsers.push(this.#browserOf(person, another))
    // The email may be changing at the same time.
    else if (!this.emailsGivenUp.includes(email)) this.#complain('POST', '/api/login', answer)
  }

  async #ban(person: SimulatedUser): Promise<void> {
    const banned = !person.banned
    const banReason = `Reason ${this.#next()}`
    const change = { [sequenceOf(person.id, 'ban')]: [banned ? label('UserBanned', banReason) : label('UserUnbanned')] }
    person.unsettled = true
    await this.#change(
      change,
      `/api/admin/user/${person.id}/ban`,
      this.#admin,
      banned ? { banned, banReason } : { banned },
    )
    person.banned = banned
    person.unsettled = false
  }

  async #delete(person: SimulatedUser): Promise<void> {
    const { id, payouts } = person
    const rejections = [...payouts].flatMap(([payoutId, { amount, status }]) =>
      status === 'pending'
        ? [
            [
              sequenceOf(payoutId, 'verdicts'),
              [label('PayoutRejected', amount, 'pending', 'The user was deleted')],
            ] as const,
          ]
        : [],
    )
    const change = { [sequenceOf(id, 'deletion')]: [label('UserDeleted')] }
    const following = { [sequenceOf(id, 'closed')]: [label('AccountClosed')], ...Object.fromEntries(rejections) }
    person.unsettled = true
    this.#expected.erase(id)
    this.#expected.begin(change)
    this.#expected.begin(following)
    const { answer, again } = await this.#send('DELETE', `/api/admin/user/${id}`, (path) => this.#admin.delete(path))
    if (answer.status !== 200 && !(again && answer.status === 404))
      return this.#complain('DELETE', `/api/admin/user/${id}`, answer)
    this.#expected.confirm(change)
    // After a kill in between, the worker does what follows.
    if (answer.status === 200) this.#expected.confirm(following)
    else this.#late.push(following)
    this.emailsGivenUp.push(person.email)
    person.deleted = true
    person.unsettled = false
  }

  /** Sends an idempotent change. Returns whether it was done. */
  async #change(
    change: ExpectedChange,
    path: string,
    who: Browser,
    body: object,
    doneBefore?: number,
  ): Promise<boolean> {
    this.#expected.begin(change)
    const { answer, again } = await this.#send('PATCH', path, () => who.patch(path, body))
    const isDone = answer.status === 200 || (again && answer.status === doneBefore)
    if (isDone) this.#expected.confirm(change)
    else {
      this.#complain('PATCH', path, answer)
      this.#expected.discard(change)
    }
    return isDone
  }

  /** Sends a request until it is answered. */
  async #send(method: string, path: string, work: (path: string) => Promise<Answer>, onLost?: () => void) {
    for (let again = false; ; again = true) {
      const answer = await this.#target.send(method, path, () => work(path))
      if (answer && answer.status < 500) return { answer, again }
      // Read models may lag behind; a change waits for nothing, except a server that is away, and an address that a
      // killed registration has claimed.
      const isClaimed = again && answer?.status === 503 && /^\/api\/(register|admin\/users)$/.test(path)
      if (isClaimed) await delay(RETRY_PAUSE_MS)
      else if (answer && !(await this.#isUnavailable(answer)) && method !== 'GET') this.#complain(method, path, answer)
      onLost?.()
      this.repeated += 1
    }
  }

  /** Whether an answer properly reports a server that is away. If so, pauses. */
  async #isUnavailable({ status, body, headers }: Answer): Promise<boolean> {
    if (!this.#outages) return false
    await delay(RETRY_PAUSE_MS * (1 + this.#random.next()))
    return (
      status === 502 || (status === 503 && refusal.safeParse(body).success && Number(headers.get(RETRY_HEADER)) > 0)
    )
  }

  #timeout(ms: number): number {
    return this.#outages ? Math.max(ms, OUTAGE_TIMEOUT_MS) : ms
  }

  /** Signs in again after an outage that ends sessions; without outages none may end. */
  #staysSignedIn(signedIn: Browser, signIn: () => Promise<Answer>): Browser {
    return this.#outages ? retryWithSignIn(signedIn, signIn) : signedIn
  }

  #browserOf(person: SimulatedUser, signedIn: Browser): Browser {
    const signInAs = (email: string) => signedIn.post('/api/login', { email, password: person.password })
    return this.#staysSignedIn(signedIn, async () => {
      const answer = await signInAs(person.email)
      return answer.status === 401 && person.emailToBe !== undefined ? signInAs(person.emailToBe) : answer
    })
  }

  /** Waits until the read models show all that is in the log by now. */
  async #upToDate(): Promise<void> {
    let end: bigint | undefined
    const isUpToDate = async (): Promise<boolean> => {
      const answer = await this.#target.send('GET', '/readyz', () => this.#admin.get('/readyz'))
      const views = readiness.safeParse(answer?.body).data?.parts.views.views ?? []
      const wanted = (end ??= views[0]?.end)
      const isThere = wanted !== undefined && views.every(({ position }) => position >= wanted)
      // Each answer asks every server.
      if (!isThere) await delay(RETRY_PAUSE_MS)
      return isThere
    }
    await until(isUpToDate, 'the read models to be up to date', this.#timeout(30_000))
  }

  #complain(method: string, path: string, { status, text }: Answer): void {
    this.violations.push(`${method} ${path}: ${status} ${text}`)
  }

  #next(): number {
    this.#count += 1
    return this.#count
  }

  /** An amount that occurs once. */
  #amount(random: Random): string {
    return `${1_000 + this.#next()}.${String(random.whole(0, 99)).padStart(2, '0')}`
  }
}

const position = z.string().regex(/^\d+$/).transform(BigInt)

const readiness = z.object({
  parts: z.looseObject({
    views: z.looseObject({ views: z.array(z.looseObject({ caughtUp: z.boolean(), position, end: position })) }),
  }),
})

/** Whether an answer of /readyz says that every read model shows the whole log. */
export function isCaughtUp(body: unknown): boolean {
  const { data } = readiness.safeParse(body)
  return data !== undefined && data.parts.views.views.every(({ caughtUp }) => caughtUp)
}

const chance = (random: Random, probability: number) => random.next() < probability

function shuffled<Each>(random: Random, list: readonly Each[]): Each[] {
  return list
    .map((each) => ({ each, by: random.next() }))
    .sort((a, b) => a.by - b.by)
    .map(({ each }) => each)
}
