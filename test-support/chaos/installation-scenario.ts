import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RecordedEvent } from '../../services/event-sourcing/codec/event-codec.ts'
import type { Secrets } from '../../services/keys/derived-secrets.ts'
import { type AnyEvent, personIdOf } from '../../services/domain/streams.ts'
import type { Dependencies } from '../../services/composition-root.ts'
import { mailJobOf } from '../../services/worker/mail/mail-sender.ts'
import { type Browser, browser } from '../http-client.ts'
import { type Delivery, type Installation, openInstallation } from '../installation.ts'
import { eventLabels, sequenceKeys } from './expected-events.ts'
import { combineFaults, createFaults, type Fault } from './faults.ts'
import { ChaosScenario } from './scenario.ts'
import { newEmail, registration } from '../portal.ts'
import { ADMIN_KEY } from '../program.ts'
import { quantile } from '../quantile.ts'
import { until } from '../until.ts'

const MASTER_KEY = 'the master key of an installation that is taken apart'
/** Nobody who asks waits longer, in ms, on a machine that does much else. */
const TIMEOUT_MS = 60_000
/** How long it may take until all works again, in ms. */
const RECOVERY = 120_000
/** What a process may need, in MB. */
const MEMORY = 1_000
/** How long passes between two looks at a process that is not ready, in ms. */
const POLL_INTERVAL_MS = 200
/** Clocks of this process and others, in ms: it may hear of a mail late. */
const LATE = 2_000
const CHANGES_BETWEEN_FAULTS = { least: 10, most: 40 }

/** An installation of two processes a service whose processes, servers and connections fail under load. */
export class InstallationScenario extends ChaosScenario {
  readonly #faults: ReadonlyMap<string, Fault>
  /** Somebody who only reads, and has changed nothing lately that a read would wait for. */
  readonly #reader: Browser
  readonly #readerEmail = newEmail()
  #rounds = 0
  #memory = 0
  #mails = ''
  /** From when to when mails could be handed over without anybody's being left who knew. */
  readonly #mailBroke: { readonly from: number; to: number }[] = []

  private constructor(
    readonly installation: Installation,
    readonly clients: number,
  ) {
    super(installation.environment, { outages: true })
    this.#faults = createFaults(installation)
    this.#reader = browser(installation.url)
  }

  /** With so many clients, who are at work from now on. */
  static async start(clients: number): Promise<InstallationScenario> {
    const installation = await openInstallation({ MASTER_KEY, ADMIN_ACCESS_KEY: ADMIN_KEY, REGISTRATIONS_PER_HOUR: '0', TRADER_CHANGES_PER_HOUR: '0' })
    const scenario = new InstallationScenario(installation, clients)
    scenario.target.setUrls({ change: installation.url, read: installation.url })
    scenario.target.open()
    const secrets = await scenario.withStores(async (parts) => parts.secrets)
    await scenario.#registerReader(secrets)
    await scenario.workload.start(clients, secrets)
    return scenario
  }

  /** Something that may be done to it. */
  fault(name: string): Fault {
    const found = this.#faults.get(name)
    if (!found) throw new Error(`There is no fault called ${name}`)
    return found
  }

  /** One to three faults, at different places, by chance. */
  drawFault(): Fault {
    const drawn: Fault[] = []
    for (let count = this.random.whole(1, 3); count > 0; count--) {
      const free = [...this.#faults.values()].filter(({ touches }) => drawn.every((other) => other.touches.every((place) => !touches.includes(place))))
      if (free.length > 0) drawn.push(this.random.pick(free))
    }
    return combineFaults(...drawn)
  }

  /**
   * Something happens while clients write, lasts a while, and is over; then all works again, and nothing was lost.
   *
   * @param meanwhile what else is waited for before it is over
   */
  async runFault(fault: Fault, meanwhile?: () => Promise<void>): Promise<void> {
    this.#rounds += 1
    await this.waitForChanges(CHANGES_BETWEEN_FAULTS)
    if (fault.leavesReads) await this.#signedInReader()
    const brokenMail = { from: Date.now(), to: Number.POSITIVE_INFINITY }
    if (fault.breaksMail) this.#mailBroke.push(brokenMail)
    await fault.begin()
    this.kills += fault.kills
    const asked = this.target.waits.length
    // Until some have asked in vain, or it is seen that nobody has to.
    await until(async () => this.target.waits.length > asked + this.clients, `answers while ${fault.name}`, TIMEOUT_MS)
    if (fault.leavesReads) await this.#reads(fault)
    await meanwhile?.()
    await fault.end()
    brokenMail.to = Date.now()
    await this.waitForChanges(CHANGES_BETWEEN_FAULTS, `after ${fault.name}`)
    await this.#ready(fault)
    await this.expectNothingLost(`after ${fault.name}`, TIMEOUT_MS)
    this.target.open()
  }

  /** Everything is settled; then what there is is looked at from outside, thoroughly. */
  async finish(): Promise<void> {
    const { installation } = this
    await this.settle()
    await this.#checkSessions()
    await this.withStores(async (parts) => {
      const events = await this.expectSoundStores(parts)
      await expectFilesKept(parts, events)
      this.#mails = await this.#expectMails(parts, events)
    })
    for (const { status, ms, call } of this.target.waits) expect(ms, `${call}, answered ${status}`).toBeLessThan(TIMEOUT_MS)
    expect(this.#memory).toBeLessThan(MEMORY)
    for (const programs of Object.values(installation.programs)) for (const program of programs) expect(await program.stop()).toBe(0)
  }

  /** One line a run. */
  summary(): void {
    const refused = this.target.waits.filter(({ status }) => status === 503)
    process.stdout.write(
      `taken apart: ${this.#rounds} rounds, ${this.clients} clients, ${this.describe()}, ${this.#mails}; ` +
        `${describeRefusals(refused)}, no process above ${this.#memory} MB\n`,
    )
  }

  async #registerReader(secrets: Secrets): Promise<void> {
    const claim = secrets.emailHash(this.#readerEmail)
    const deed = { [sequenceKeys.email(claim)]: [eventLabels.registered], [sequenceKeys.account(claim)]: [eventLabels.opened] }
    this.expectedEvents.begin(deed)
    const { status } = await this.#reader.post('/api/register', { ...registration, email: this.#readerEmail })
    expect(status).toBe(201)
    this.expectedEvents.confirm(deed)
  }

  /** Somebody is signed in whose reads wait for nothing. */
  async #signedInReader(): Promise<void> {
    const reads = async () => {
      const { status } = await this.#reader.get('/api/user')
      if (status === 401) await this.#reader.post('/api/login', { email: this.#readerEmail, password: registration.password })
      return status === 200
    }
    await until(reads, 'somebody to read', RECOVERY)
  }

  /** Where sessions and views are there reads go on, perhaps at the second query process. */
  async #reads(fault: Fault): Promise<void> {
    await until(async () => (await this.#reader.get('/api/user')).status === 200, `reads to go on while ${fault.name}`, TIMEOUT_MS)
  }

  /** Every process is there, or there again, with nobody's help, and finds everything. */
  async #ready(fault: Fault): Promise<void> {
    for (const program of Object.values(this.installation.programs).flat()) expect(program.running(), program.output()).toBe(true)
    const lookAt = async (url: string) => {
      const answer = await fetch(new URL('/readyz', url))
      if (answer.status === 200) return undefined
      await delay(POLL_INTERVAL_MS)
      return answer.text()
    }
    for (const [service, each] of Object.entries(this.installation.programs))
      for (const { url, output } of each) {
        let missing: string | undefined = ''
        await until(async () => (missing = await lookAt(url)) === undefined, `${service} to be ready`, RECOVERY).catch((error: unknown) => {
          throw new Error(`After ${fault.name}: ${String(error)}, which says ${missing} and has said:\n${output().slice(-6_000)}`)
        })
      }
    this.#memory = Math.max(this.#memory, this.installation.memory() ?? 0)
  }

  /** Whoever is banned or erased gets in nowhere, the others do. */
  async #checkSessions(): Promise<void> {
    for (const person of this.workload.people) {
      if (person.browsers.length === 0) continue
      const { status } = await browser(this.installation.url).post('/api/login', { email: person.email, password: person.password })
      expect([person.id, status]).toEqual([person.id, person.deleted ? 401 : person.banned ? 403 : 200])
    }
  }

  /**
   * Each mail was handed over, at most once more for each time that whoever knew of it was killed or cut off between that
   * and its record; and none that was pointless.
   */
  async #expectMails({ outbox }: Dependencies, facts: readonly RecordedEvent<AnyEvent>[]): Promise<string> {
    const erased = new Set(facts.flatMap((fact) => (fact.type === 'UserDeleted' ? (fact.userId ?? []) : [])))
    const deliveries = new Map<string, Delivery[]>()
    for (const delivery of this.installation.mail.deliveries) deliveries.set(delivery.job, [...(deliveries.get(delivery.job) ?? []), delivery])
    const recorded = new Map(facts.flatMap((fact) => (fact.type === 'MailSent' ? [[fact.stream, fact.at] as const] : [])))
    const newest = new Map(facts.flatMap((fact) => (isLink(fact) ? [[fact.userId, fact.id] as const] : [])))
    const wrong: string[] = []
    let [jobs, pointless, again] = [0, 0, 0]
    for (const fact of facts) {
      if (!mailJobOf(fact)) continue
      jobs += 1
      const handedOver = deliveries.get(fact.id) ?? []
      deliveries.delete(fact.id)
      again += Math.max(0, handedOver.length - 1)
      const [first] = handedOver
      if (!first) {
        if (erased.has(fact.userId ?? '') || (isLink(fact) && newest.get(fact.userId) !== fact.id)) pointless += 1
        else wrong.push(`none about ${fact.type} ${fact.id}`)
        continue
      }
      const onRecord = recorded.get(`mail-${fact.id}`) ?? Number.POSITIVE_INFINITY
      const between = this.#mailBroke.filter(({ from, to }) => from <= onRecord + LATE && to >= first.at - LATE)
      if (handedOver.length > 1 + between.length)
        wrong.push(`${handedOver.length} about ${fact.type} ${fact.id} at ${handedOver.map(({ at }) => at).join(', ')}, recorded at ${onRecord}`)
    }
    expect({ wrong, strangers: [...deliveries.keys()] }).toEqual({ wrong: [], strangers: [] })
    const failed = await outbox.failed()
    expect(failed.filter(({ stream }) => !erased.has(personIdOf(stream) ?? ''))).toEqual([])
    return `${jobs} mails (${again} came twice, ${pointless} had become pointless)`
  }
}

/** Whether the mail about a fact holds a link that a newer one makes pointless. */
const isLink = ({ type }: RecordedEvent<AnyEvent>) => type === 'PasswordResetRequested' || type === 'UserCreated'

/** Each certificate's file is there byte for byte, and none of the erased. */
async function expectFilesKept({ fileStore }: Dependencies, facts: readonly RecordedEvent<AnyEvent>[]): Promise<void> {
  const erased = new Set(facts.flatMap((fact) => (fact.type === 'UserDeleted' ? (fact.userId ?? []) : [])))
  for (const fact of facts) {
    if (fact.type !== 'CertificateIssued' || erased.has(fact.userId ?? '')) continue
    const stored = await fileStore.get(fact.data.file)
    const bytes = stored && (await buffer(stored.content))
    expect(bytes && createHash('sha256').update(bytes).digest('hex'), fact.data.file).toBe(fact.data.sha256)
  }
}

/** How many changes could not be done, and after how many ms that was said. */
export function describeRefusals(refused: readonly { readonly ms: number; readonly call: string }[]): string {
  const [slowest] = refused.toSorted((one, other) => other.ms - one.ms)
  if (!slowest) return 'no answer 503'
  const [half, most] = [0.5, 0.99].map((share) =>
    Math.round(
      quantile(
        refused.map(({ ms }) => ms),
        share,
      ),
    ),
  )
  return `${refused.length} answers 503 after ${half} ms (p50), ${most} ms (p99), ${Math.round(slowest.ms)} ms (most: ${slowest.call})`
}
