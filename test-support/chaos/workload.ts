import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { IDEMPOTENCY_HEADER, RETRY_HEADER } from '../../services/api/index.ts'
import { InstallationSecrets, type Secrets } from '../../services/keys/derived-secrets.ts'
import type { Random } from '../../services/demo/random.ts'
import { type Answer, type Browser, browser } from '../http-client.ts'
import { pdf, uploadCertificate } from '../http-calls.ts'
import { type ExpectedChange, type ExpectedEvents, eventLabels, sequenceKeys } from './expected-events.ts'
import { registration } from '../portal.ts'
import { ADMIN_KEY } from '../program.ts'
import { seededRandom } from '../random-seed.ts'
import { retryWithSignIn } from '../returning-client.ts'
import { until } from '../until.ts'

/** Which service takes a request: reads go to one, changes to the other. */
type Side = 'read' | 'change'
const sideOf = (method: string): Side => (method === 'GET' ? 'read' : 'change')

/** The portal as its clients see it: sometimes away, and afterwards somewhere else. */
export class PortalTarget {
  #urls: Readonly<Record<Side, string>> = { read: '', change: '' }
  #gates: Record<Side, RequestGate> = { read: createClosedGate(), change: createClosedGate() }
  /** Requests cut although nothing was killed. */
  readonly cut: string[] = []
  /** How long each answer took, in ms. */
  readonly waits: { readonly call: string; readonly status: number; readonly ms: number }[] = []
  /** Requests without an answer yet, and when they were sent. */
  readonly #inFlight = new Map<symbol, { readonly call: string; readonly sent: number }>()

  readonly urlFor = (method: string) => this.#urls[sideOf(method)]

  /** It listens there from now on. */
  setUrls(urls: Readonly<Record<Side, string>>): void {
    this.#urls = urls
  }

  /** Clients may ask again. */
  open(): void {
    for (const accessControl of Object.values(this.#gates)) accessControl.open()
  }

  /** Clients wait with what comes next. To be called before the portal is killed. */
  close(...sides: readonly Side[]): void {
    for (const side of sides.length > 0 ? sides : (['read', 'change'] as const)) if (this.#gates[side].isOpen) this.#gates[side] = createClosedGate()
  }

  /** Waits until nobody waits for an answer. */
  async waitUntilIdle(ms = 10_000): Promise<void> {
    await until(async () => this.#inFlight.size === 0, 'all requests to end', ms).catch((error: unknown) => {
      const waiting = [...this.#inFlight.values()].map(({ call, sent }) => `${call} for ${Math.round(performance.now() - sent)} ms`)
      throw new Error(`${String(error)}: ${waiting.join(', ')}`)
    })
  }

  /** Sends when the portal is there. Undefined when the answer was lost. */
  async send(method: string, path: string, work: () => Promise<Answer>): Promise<Answer | undefined> {
    const accessControl = await this.#opened(sideOf(method))
    const [request, asked, call] = [Symbol(path), performance.now(), `${method} ${path}`]
    this.#inFlight.set(request, { call, sent: asked })
    try {
      const answer = await work()
      this.waits.push({ call, status: answer.status, ms: performance.now() - asked })
      return answer
    } catch (error) {
      // What fetch throws when a connection breaks; anything else is an answer that breaks the contract.
      if (!(error instanceof TypeError)) throw error
      if (accessControl === this.#gates[sideOf(method)]) this.cut.push(`${call}: ${String(error.cause)}`)
      return undefined
    } finally {
      this.#inFlight.delete(request)
    }
  }

  async #opened(side: Side): Promise<RequestGate> {
    for (;;) {
      const accessControl = this.#gates[side]
      await accessControl.opened
      if (accessControl === this.#gates[side]) return accessControl
    }
  }
}

interface RequestGate {
  readonly opened: Promise<void>
  readonly isOpen: boolean
  open(): void
}

function createClosedGate(): RequestGate {
  let resolve = () => {}
  const promise = new Promise<void>((resolvePromise) => (resolve = resolvePromise))
  let isOpen = false
  return {
    opened: promise,
    get isOpen() {
      return isOpen
    },
    open() {
      isOpen = true
      resolve()
    },
  }
}

export interface SimulatedUser {
  readonly id: string
  /** What happens to this person is drawn from its client's stream. */
  readonly random: Random
  email: string
  /** Another email that was asked for and is not answered yet. */
  emailToBe?: string
  readonly password: string
  /** Signed-in browsers; none for somebody whom an administrator created. */
  readonly browsers: Browser[]
  banned: boolean
  deleted: boolean
  /** Something is under way that changes what its sessions may do. */
  unsettled: boolean
  payoutsEnabled: boolean
  readonly payouts: Map<string, { readonly amount: string; status: 'pending' | 'approved' | 'rejected' }>
  readonly certificates: Map<string, Buffer<ArrayBuffer>>
}

interface PendingUser {
  readonly email: string
  readonly random: Random
  readonly byAdmin: boolean
  /** Was refused once, because the portal was killed between the claim of the email and its use. */
  late: boolean
  /** What was asked for then, and may still happen: what was refused while the log hung is perhaps recorded afterwards. */
  change?: ExpectedChange
}

const identity = z.looseObject({ id: z.string() })
const identities = z.array(z.looseObject({ id: z.string(), name: z.string().optional(), email: z.string().optional() }))

export interface WorkloadOptions {
  /**
   * What the portal leans on may be away. Then 503 is an answer to a change, too, whose outcome may be unknown; nothing
   * comes as soon as else; and who was signed in may have to sign in again.
   */
  readonly outages?: boolean
}

/**
 * How long it may take until what was left to the worker is done, in ms, while one server after the other is taken away: it
 * may get little time in between. How soon all works again after a single fault is for others to hold.
 */
const OUTAGE = 1_800_000

/** How long a client thinks before it does the next thing, in ms, at most: more of them than the machine has cores work side by side. */
const THINK_TIME = 1_000

/** How long a client lets pass before it asks again for what it was refused, in ms; up to twice as long. */
const PAUSE = 100

/**
 * Clients that do a random mix of everything and never give up: whose answer was lost asks again with the same words
 * until there is an answer. Each looks after persons of its own, so the ledger knows what must have happened and in
 * which order.
 */
export class Workload {
  readonly people: SimulatedUser[] = []
  readonly emailsGivenUp: string[] = []
  /** What no client should ever see. */
  readonly violations: string[] = []
  /** Answers that were lost and asked for again. */
  repeated = 0
  readonly #target: PortalTarget
  readonly #ledger: ExpectedEvents
  #secrets: Pick<Secrets, 'emailHash'> = new InstallationSecrets()
  readonly #admin: Browser
  readonly #outages: boolean
  readonly #late: ExpectedChange[] = []
  #clients: Promise<void>[] = []
  #leaving = false
  #count = 0
  /** How long a refused client waits, and which sessions are checked: not part of what the clients do. */
  readonly #random = seededRandom(1)

  constructor(target: PortalTarget, ledger: ExpectedEvents, { outages = false }: WorkloadOptions = {}) {
    this.#target = target
    this.#ledger = ledger
    this.#outages = outages
    const admin = browser(target.urlFor)
    this.#admin = this.#keptIn(admin, () => admin.post('/api/admin/login', { accessKey: ADMIN_KEY }))
  }

  get admin(): Browser {
    return this.#admin
  }

  async start(clients: number, secrets: Pick<Secrets, 'emailHash'>): Promise<void> {
    this.#secrets = secrets
    await this.#surely('POST', '/api/admin/login', () => this.#admin.post('/api/admin/login', { accessKey: ADMIN_KEY }))
    this.#clients = Array.from({ length: clients }, (_, index) => this.#client(seededRandom(2 + index)))
    // A client that fails is heard of when the crowd leaves.
    for (const client of this.#clients) client.catch(() => {})
  }

  /** Waits until each has settled what it was about, and throws what went wrong. */
  async stop(): Promise<void> {
    this.#leaving = true
    await Promise.all(this.#clients)
  }

  /** Whether a session of every person is what it should be. Not while the crowd is at work. */
  async checkSessions(most: number): Promise<void> {
    const { body } = await this.#admin.get('/api/admin/auth')
    if (!z.looseObject({ isAdmin: z.literal(true) }).safeParse(body).success) this.violations.push('the administrator is signed out')
    for (const person of shuffled(
      this.#random,
      this.people.filter(({ unsettled, browsers }) => !unsettled && browsers.length > 0),
    ).slice(0, most)) {
      const expected = person.deleted ? 401 : person.banned ? 403 : 200
      for (const each of person.browsers.slice(-2)) {
        const answer = await until(async () => {
          const { status, body: user } = await each.get('/api/user')
          return status !== 503 && { status, user }
        }, 'the views to be there')
        const isTheirs = answer.status !== 200 || identity.parse(answer.user).id === person.id
        if (answer.status !== expected || !isTheirs) this.violations.push(`a session of ${person.id} gets ${answer.status} instead of ${expected}`)
      }
    }
  }

  async #client(random: Random): Promise<void> {
    const mine: SimulatedUser[] = []
    const waiting: PendingUser[] = []
    const settle = async (newcomer: PendingUser) => {
      const person = await this.#arrive(newcomer)
      if (person) mine.push(person)
      return person !== undefined
    }
    while (!this.#leaving) {
      const late = waiting.shift()
      if (late && !(await settle(late))) waiting.push(late)
      if (mine.length === 0 || (mine.length < 8 && chance(random, 0.12))) {
        const newcomer = { email: `crowd${this.#next()}@example.com`, byAdmin: chance(random, 0.2), late: false, random }
        if (!(await settle(newcomer))) waiting.push(newcomer)
      } else await this.#live(random, mine)
      if (this.#outages) await delay(random.next() * THINK_TIME)
    }
    for (const newcomer of waiting) await until(() => settle(newcomer), 'a claim whose user never came to be taken over', this.#patience(20_000))
  }

  /** Something that one of these persons does, or that is done to them: one grave thing, or several at once. */
  async #live(random: Random, people: SimulatedUser[]): Promise<void> {
    const person = random.pick(people)
    if (people.length > 3 && chance(random, 0.04)) {
      people.splice(people.indexOf(person), 1)
      return this.#erase(person)
    }
    if (chance(random, person.banned ? 0.5 : 0.06)) return this.#ban(person)
    const own = person.browsers.length > 0 && !person.banned
    const doings = own ? [this.#money, this.#profile, this.#payout, this.#verdict, this.#certificate, this.#signIn] : [this.#money, this.#verdict]
    await Promise.all(
      shuffled(random, doings)
        .slice(0, random.whole(1, 3))
        .map((does) => does.call(this, person)),
    )
  }

  /** Undefined when the email is still claimed for somebody who never came, because the portal was killed in between. */
  async #arrive(newcomer: PendingUser): Promise<SimulatedUser | undefined> {
    const { email, byAdmin, random } = newcomer
    const claim = this.#secrets.emailHash(email)
    const deed = (newcomer.change ??= {
      [sequenceKeys.email(claim)]: [byAdmin ? eventLabels.created : eventLabels.registered],
      [sequenceKeys.account(claim)]: [eventLabels.opened],
    })
    const trader = browser(this.#target.urlFor)
    const { password, ...profile } = registration
    const path = byAdmin ? '/api/admin/users' : '/api/register'
    this.#ledger.begin(deed)
    const { answer, again } = await this.#surely('POST', path, () =>
      byAdmin ? this.#admin.post(path, { ...profile, email }) : trader.post(path, { ...registration, email }),
    )
    if (answer.status !== 201 && (answer.status !== 409 || !(again || newcomer.late))) this.#complain('POST', path, answer)
    const id = answer.status === 201 ? identity.parse(answer.body).id : await this.#whoCame(email, byAdmin, trader)
    if (id === undefined) {
      newcomer.late = true
      if (!this.#outages) this.#ledger.discard(deed)
      return undefined
    }
    if (answer.status !== 201) await this.#accountOpened(id)
    this.#ledger.confirm(deed)
    const nothing = { banned: false, deleted: false, unsettled: false, payoutsEnabled: false, payouts: new Map(), certificates: new Map() }
    const person: SimulatedUser = { id, random, email, password, browsers: [], ...nothing }
    if (!byAdmin) person.browsers.push(this.#ofPerson(person, trader))
    this.people.push(person)
    return person
  }

  /** Who was killed before it opened the account left that to the worker. */
  async #accountOpened(id: string): Promise<void> {
    const path = `/api/admin/user/${id}/account`
    await until(
      async () => (await this.#target.send('PATCH', path, () => this.#admin.patch(path, {})))?.status === 200,
      'the worker to open the account of somebody whose registration was cut short',
      this.#patience(30_000),
    )
  }

  /** Whether somebody with this email is there after all. */
  async #whoCame(email: string, byAdmin: boolean, trader: Browser): Promise<string | undefined> {
    if (!byAdmin) {
      const { answer } = await this.#surely('POST', '/api/login', () => trader.post('/api/login', { email, password: registration.password }))
      return answer.status === 200 ? identity.parse(answer.body).id : undefined
    }
    await this.#upToDate()
    const path = `/api/admin/users?search=${encodeURIComponent(email)}`
    const { answer } = await this.#surely('GET', path, () => this.#admin.get(path))
    return identities.parse(answer.body).find((user) => user.email === email)?.id
  }

  async #money({ id, random }: SimulatedUser): Promise<void> {
    const [balance, profitLoss] = [this.#amount(random), this.#amount(random)]
    const phase = `Phase ${this.#next()}`
    const wanted = { [sequenceKeys.money(id)]: [eventLabels.balance(balance), eventLabels.profitLoss(profitLoss), eventLabels.phase(phase)] }
    await this.#change(wanted, 'PATCH', `/api/admin/user/${id}/account`, (path) => this.#admin.patch(path, { balance, profitLoss, phase }))
  }

  async #profile(person: SimulatedUser): Promise<void> {
    const { id } = person
    const trader = person.random.pick(person.browsers)
    const what = person.random.next()
    if (what < 0.2) return this.#forget(person)
    if (what < 0.45) {
      const email = `crowd${this.#next()}@example.com`
      const wanted = { [sequenceKeys.profile(id)]: [eventLabels.profile('email', email)] }
      this.emailsGivenUp.push(person.email)
      person.emailToBe = email
      await this.#change(wanted, 'PATCH', '/api/user/profile', (path) => trader.patch(path, { email }))
      person.email = email
      delete person.emailToBe
    } else if (what < 0.7) {
      const houseNumber = String(this.#next())
      const wanted = { [sequenceKeys.profile(id)]: [eventLabels.profile('houseNumber', houseNumber)] }
      await this.#change(wanted, 'PATCH', `/api/admin/user/${id}`, (path) => this.#admin.patch(path, { houseNumber }))
    } else {
      const city = `City ${this.#next()}`
      const wanted = { [sequenceKeys.profile(id)]: [eventLabels.profile('city', city)] }
      await this.#change(wanted, 'PATCH', '/api/user/profile', (path) => trader.patch(path, { city }))
    }
  }

  /** Each request makes a link of its own, so that one which was sent twice may be there twice. */
  async #forget({ id, email }: SimulatedUser): Promise<void> {
    const thread = sequenceKeys.forgot(id)
    const deed = { [thread]: [eventLabels.forgot] }
    const guest = browser(this.#target.urlFor)
    this.#ledger.begin(deed)
    const { answer } = await this.#surely(
      'POST',
      '/api/forgot-password',
      () => guest.post('/api/forgot-password', { email }),
      () => this.#ledger.allowExtra(thread),
    )
    if (answer.status === 200) this.#ledger.confirm(deed)
    else this.#ledger.discard(deed)
    if (answer.status !== 200 && answer.status !== 429) this.#complain('POST', '/api/forgot-password', answer)
  }

  async #payout(person: SimulatedUser): Promise<void> {
    const { id } = person
    const thread = sequenceKeys.payouts(id)
    if (!person.payoutsEnabled || chance(person.random, 0.1)) {
      const payoutEnabled = !person.payoutsEnabled
      const wanted = { [thread]: [payoutEnabled ? eventLabels.enabled : eventLabels.disabled] }
      await this.#change(wanted, 'PATCH', `/api/admin/user/${id}/account`, (path) => this.#admin.patch(path, { payoutEnabled }))
      person.payoutsEnabled = payoutEnabled
      return
    }
    const trader = person.random.pick(person.browsers)
    const amount = this.#amount(person.random)
    const headers = { [IDEMPOTENCY_HEADER]: randomUUID() }
    const request = { amount, paymentMethod: 'bank', paymentDetails: `for ${amount}` }
    const deed = { [thread]: [eventLabels.requested(amount)] }
    this.#ledger.begin(deed)
    const ask = () => this.#surely('POST', '/api/user/payouts', () => trader.post('/api/user/payouts', request, { headers }))
    // A double click, now and then.
    const [first, ...others] = await Promise.all(chance(person.random, 0.25) ? [ask(), ask()] : [ask()])
    if (first?.answer.status !== 201) {
      if (first) this.#complain('POST', '/api/user/payouts', first.answer)
      return this.#ledger.discard(deed)
    }
    for (const { answer } of others)
      if (answer.text !== first.answer.text) this.violations.push(`one key, two answers: ${first.answer.text} and ${answer.text}`)
    this.#ledger.confirm(deed)
    person.payouts.set(identity.parse(first.answer.body).id, { amount, status: 'pending' })
  }

  async #verdict(person: SimulatedUser): Promise<void> {
    if (person.payouts.size === 0) return
    const [id, payout] = person.random.pick([...person.payouts])
    const status = payout.status === 'pending' ? person.random.pick(['approved', 'rejected'] as const) : payout.status === 'approved' ? 'rejected' : 'approved'
    const adminNotes = `Note ${this.#next()}`
    const mark = status === 'approved' ? eventLabels.approved(payout.amount, payout.status) : eventLabels.rejected(payout.amount, payout.status, adminNotes)
    const deed = { [sequenceKeys.verdicts(id)]: [mark] }
    const path = `/api/admin/payouts/${id}`
    this.#ledger.begin(deed)
    const { answer, again } = await this.#surely('PATCH', path, () => this.#admin.patch(path, { status, adminNotes }))
    // 'Already approved' is what somebody hears whose first answer was lost.
    if (answer.status !== 200 && !(again && answer.status === 409)) {
      this.#complain('PATCH', path, answer)
      return this.#ledger.discard(deed)
    }
    this.#ledger.confirm(deed)
    payout.status = status
  }

  /** Uploading twice makes two: whose answer was lost looks whether it is there before it uploads again. */
  async #certificate(person: SimulatedUser): Promise<void> {
    const name = `Certificate ${this.#next()}`
    const deed = { [sequenceKeys.certificates(person.id)]: [eventLabels.certificate(name)] }
    const file = Buffer.concat([pdf(person.random.whole(1_000, 31_000)), Buffer.from(name)])
    const path = '/api/admin/certificates'
    this.#ledger.begin(deed)
    for (;;) {
      const sent = await this.#target.send('POST', path, () => uploadCertificate(this.#admin, { name, userId: person.id, file }))
      const answer = sent && (await this.#isAway(sent)) ? undefined : sent
      if (answer && answer.status !== 201) {
        this.#complain('POST', path, answer)
        return this.#ledger.discard(deed)
      }
      if (!answer) this.repeated += 1
      const id = answer ? identity.parse(answer.body).id : await this.#certificateNamed(name, person.random.pick(person.browsers))
      if (id === undefined) {
        // What was refused while the log hung may be recorded after somebody has looked.
        if (this.#outages) this.#ledger.allowExtra(sequenceKeys.certificates(person.id))
        continue
      }
      this.#ledger.confirm(deed)
      person.certificates.set(id, file)
      return
    }
  }

  async #certificateNamed(name: string, trader: Browser): Promise<string | undefined> {
    await this.#upToDate()
    const { answer } = await this.#surely('GET', '/api/user/certificates', () => trader.get('/api/user/certificates'))
    return identities.parse(answer.body).find((certificate) => certificate.name === name)?.id
  }

  async #signIn(person: SimulatedUser): Promise<void> {
    const another = browser(this.#target.urlFor)
    const { email, password } = person
    const { answer } = await this.#surely('POST', '/api/login', () => another.post('/api/login', { email, password }))
    if (answer.status === 200) person.browsers.push(this.#ofPerson(person, another))
    // The email may be changing at this very moment.
    else if (!this.emailsGivenUp.includes(email)) this.#complain('POST', '/api/login', answer)
  }

  async #ban(person: SimulatedUser): Promise<void> {
    const banned = !person.banned
    const banReason = `Reason ${this.#next()}`
    const wanted = { [sequenceKeys.ban(person.id)]: [banned ? eventLabels.banned(banReason) : eventLabels.unbanned] }
    person.unsettled = true
    await this.#change(wanted, 'PATCH', `/api/admin/user/${person.id}/ban`, (path) => this.#admin.patch(path, banned ? { banned, banReason } : { banned }))
    person.banned = banned
    person.unsettled = false
  }

  async #erase(person: SimulatedUser): Promise<void> {
    const { id, payouts } = person
    const rejections = [...payouts].flatMap(([payoutId, { amount, status }]) =>
      status === 'pending' ? [[sequenceKeys.verdicts(payoutId), [eventLabels.rejected(amount, 'pending', 'The user was deleted')]] as const] : [],
    )
    const deed = { [sequenceKeys.end(id)]: [eventLabels.deleted] }
    const following = { [sequenceKeys.closed(id)]: [eventLabels.closed], ...Object.fromEntries(rejections) }
    const path = `/api/admin/user/${id}`
    person.unsettled = true
    this.#ledger.erase(id)
    this.#ledger.begin(deed)
    this.#ledger.begin(following)
    const { answer, again } = await this.#surely('DELETE', path, () => this.#admin.delete(path))
    if (answer.status !== 200 && !(again && answer.status === 404)) return this.#complain('DELETE', path, answer)
    this.#ledger.confirm(deed)
    // Who was killed before it had done all that follows left that to the worker.
    if (answer.status === 200) this.#ledger.confirm(following)
    else this.#late.push(following)
    this.emailsGivenUp.push(person.email)
    person.deleted = true
    person.unsettled = false
  }

  /** To be called once the worker has seen the whole log: what was left to it must have happened. */
  settleLateRequests(): void {
    for (const deed of this.#late.splice(0)) this.#ledger.confirm(deed)
  }

  /** A change that is the same when it comes twice. */
  async #change(deed: ExpectedChange, method: string, path: string, ask: (path: string) => Promise<Answer>): Promise<void> {
    this.#ledger.begin(deed)
    const { answer } = await this.#surely(method, path, () => ask(path))
    if (answer.status === 200) return this.#ledger.confirm(deed)
    this.#complain(method, path, answer)
    this.#ledger.discard(deed)
  }

  /** Sends until there is an answer. */
  async #surely(method: string, path: string, work: () => Promise<Answer>, lost?: () => void) {
    for (let again = false; ; again = true) {
      const answer = await this.#target.send(method, path, work)
      if (answer && answer.status < 500) return { answer, again }
      // A read may find the views behind; a change has nothing to wait for, but for what is away.
      if (answer && !(await this.#isAway(answer)) && method !== 'GET') this.#complain(method, path, answer)
      lost?.()
      this.repeated += 1
    }
  }

  /** Whether an answer says that something is away, in the words that there are for it. Then a moment passes. */
  async #isAway({ status, body, headers }: Answer): Promise<boolean> {
    if (!this.#outages) return false
    await delay(PAUSE * (1 + this.#random.next()))
    return status === 502 || (status === 503 && refusal.safeParse(body).success && Number(headers.get(RETRY_HEADER)) > 0)
  }

  #patience(ms: number): number {
    return this.#outages ? Math.max(ms, OUTAGE) : ms
  }

  /** A browser that stays signed in: by itself, for nothing may end its session; or by signing in again. */
  #keptIn(signedIn: Browser, signIn: () => Promise<Answer>): Browser {
    return this.#outages ? retryWithSignIn(signedIn, signIn) : signedIn
  }

  #ofPerson(person: SimulatedUser, signedIn: Browser): Browser {
    const signInAs = (email: string) => signedIn.post('/api/login', { email, password: person.password })
    return this.#keptIn(signedIn, async () => {
      const answer = await signInAs(person.email)
      return answer.status === 401 && person.emailToBe !== undefined ? signInAs(person.emailToBe) : answer
    })
  }

  /** Waits until the views show all that is in the log by now. */
  async #upToDate(): Promise<void> {
    let end: bigint | undefined
    await until(
      async () => {
        const answer = await this.#target.send('GET', '/readyz', () => this.#admin.get('/readyz'))
        const { data } = readiness.safeParse(answer?.body)
        const views = data?.parts.views.views ?? []
        end ??= views[0]?.end
        const shown = end
        const isUpToDate = shown !== undefined && views.every(({ position }) => position >= shown)
        // To tell it, a service asks all that it leans on.
        if (!isUpToDate) await delay(PAUSE)
        return isUpToDate
      },
      'the views to be up to date',
      this.#patience(30_000),
    )
  }

  #complain(method: string, path: string, { status, text }: Answer): void {
    this.violations.push(`${method} ${path}: ${status} ${text}`)
  }

  #next(): number {
    this.#count += 1
    return this.#count
  }

  /** An amount that nobody else asks for. */
  #amount(random: Random): string {
    return `${1_000 + this.#next()}.${String(random.whole(0, 99)).padStart(2, '0')}`
  }
}

const refusal = z.strictObject({ message: z.string().min(1) })

const position = z.string().regex(/^\d+$/).transform(BigInt)

const readiness = z.object({
  parts: z.looseObject({
    views: z.looseObject({ views: z.array(z.looseObject({ caughtUp: z.boolean(), position, end: position })) }),
    mail: z.looseObject({ waiting: z.int() }),
  }),
})

/** Whether an answer of /readyz says that every view shows the whole log. */
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
