import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Dependencies } from '#services/portal/composition-root.ts'
import type { AnyEvent } from '#services/oversight/event-catalogue.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import { type Browser, browser } from '#test-support/http-client.ts'
import { type Delivery, type Installation, openInstallation } from '#test-support/installation.ts'
import { newEmail, registration } from '#test-support/portal.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { quantile } from '#test-support/quantile.ts'
import { until } from '#test-support/until.ts'
import { label, sequenceOf } from './expected-events.ts'
import { combineFaults, createFaults, type Fault } from './faults.ts'
import { expectMails } from './log-inspection.ts'
import { ChaosScenario } from './scenario.ts'

const MASTER_KEY = 'the master key of an installation that is taken apart'
/** The longest wait in ms for an answer, on a busy machine. */
const ANSWER_TIMEOUT_MS = 60_000
/** The longest time in ms until everything works again. */
const RECOVERY_TIMEOUT_MS = 120_000
/** The most memory of a process, in MB. */
const MEMORY_MB = 1_000
const POLL_INTERVAL_MS = 200
/** The clocks of processes differ by less, in ms, and a delivered mail is recorded later. */
const CLOCK_TOLERANCE_MS = 2_000
const CHANGES_BETWEEN_FAULTS = { least: 10, most: 40 }

/** An installation with two processes for each service. Its processes, servers and connections fail under load. */
export class InstallationScenario extends ChaosScenario {
  readonly #faults: ReadonlyMap<string, Fault>
  /** A trader who only reads: these reads wait for no recent change. */
  readonly #reader: Browser
  readonly #readerEmail = newEmail()
  #rounds = 0
  #memory = 0
  #mails = ''
  /** The periods in which a delivered mail could stay unrecorded. */
  readonly #mailFaults: { readonly from: number; to: number }[] = []

  private constructor(
    readonly installation: Installation,
    readonly clients: number,
  ) {
    super(installation.environment, { outages: true })
    this.#faults = createFaults(installation)
    this.#reader = browser(installation.url)
  }

  /** Opens an installation with this many clients at work. */
  static async start(clients: number): Promise<InstallationScenario> {
    const installation = await openInstallation({
      MASTER_KEY,
      ADMIN_ACCESS_KEY: ADMIN_KEY,
      REGISTRATIONS_PER_HOUR: '0',
      TRADER_CHANGES_PER_HOUR: '0',
    })
    const scenario = new InstallationScenario(installation, clients)
    scenario.target.setUrls({ change: installation.url, read: installation.url })
    scenario.target.open()
    const secrets = await scenario.withStores(async (parts) => parts.secrets)
    await scenario.#registerReader(secrets)
    await scenario.workload.start(clients, secrets)
    return scenario
  }

  /** A fault by its name. */
  fault(name: string): Fault {
    const found = this.#faults.get(name)
    if (!found) throw new Error(`There is no fault called ${name}`)
    return found
  }

  /** One to three random faults in different places. */
  drawFault(): Fault {
    const drawn: Fault[] = []
    for (let count = this.random.whole(1, 3); count > 0; count--) {
      const free = [...this.#faults.values()].filter(({ touches }) =>
        drawn.every((other) => other.touches.every((place) => !touches.includes(place))),
      )
      if (free.length > 0) drawn.push(this.random.pick(free))
    }
    return combineFaults(...drawn)
  }

  /**
   * Lets a fault begin and end while clients write. Afterwards everything must work again, and nothing may be lost.
   *
   * @param meanwhile awaited before the fault ends
   */
  async runFault(fault: Fault, meanwhile?: () => Promise<void>): Promise<void> {
    this.#rounds += 1
    await this.waitForChanges(CHANGES_BETWEEN_FAULTS)
    const reads = async () => (await this.#reader.get('/api/user')).status === 200
    if (fault.leavesReads)
      await until(async () => (await reads()) || (await this.#signInReader()), 'reads', RECOVERY_TIMEOUT_MS)
    const mailFault = { from: Date.now(), to: Number.POSITIVE_INFINITY }
    if (fault.breaksMail) this.#mailFaults.push(mailFault)
    await fault.begin()
    this.kills += fault.kills
    const answered = this.target.waits.length
    await until(
      async () => this.target.waits.length > answered + this.clients,
      `answers while ${fault.name}`,
      ANSWER_TIMEOUT_MS,
    )
    if (fault.leavesReads) await until(reads, `reads while ${fault.name}`, ANSWER_TIMEOUT_MS)
    await meanwhile?.()
    await fault.end()
    mailFault.to = Date.now()
    await this.waitForChanges(CHANGES_BETWEEN_FAULTS, `after ${fault.name}`)
    await this.#ready(fault)
    await this.expectNothingLost(`after ${fault.name}`, ANSWER_TIMEOUT_MS).catch((error: unknown) => {
      throw new Error(`The processes wrote of errors:\n${this.#errors()}`, { cause: error })
    })
    this.target.open()
  }

  /** Ends the workload, then inspects the stores, mails, answer times and memory. */
  async finish(): Promise<void> {
    await this.settle()
    for (const { id, email, password, browsers, deleted, banned } of this.workload.people) {
      if (browsers.length === 0) continue
      const { status } = await browser(this.installation.url).post('/api/login', { email, password })
      expect([id, status]).toEqual([id, deleted ? 401 : banned ? 403 : 200])
    }
    await this.withStores(async (parts) => {
      this.#mails = await this.#expectMails(parts, await this.expectSoundStores(parts))
    })
    for (const { status, ms, call } of this.target.waits)
      expect(ms, `${call}, answered ${status}`).toBeLessThan(ANSWER_TIMEOUT_MS)
    expect(this.#memory).toBeLessThan(MEMORY_MB)
    for (const program of Object.values(this.installation.programs).flat()) expect(await program.stop()).toBe(0)
  }

  /** Prints one line about the run. */
  summary(): void {
    const refused = this.target.waits.filter(({ status }) => status === 503)
    process.stdout.write(
      `${this.#rounds} rounds of faults, ${this.clients} clients, ${this.describe()}, ${this.#mails}; ` +
        `${describeRefusals(refused)}, no process above ${this.#memory} MB\n`,
    )
  }

  async #registerReader(secrets: Secrets): Promise<void> {
    const claim = secrets.emailHash(this.#readerEmail)
    const change = {
      [sequenceOf(`email ${claim}`, 'birth')]: [label('UserRegistered')],
      [sequenceOf(`email ${claim}`, 'account')]: [label('AccountOpened')],
    }
    this.expectedEvents.begin(change)
    expect((await this.#reader.post('/api/register', { ...registration, email: this.#readerEmail })).status).toBe(201)
    this.expectedEvents.confirm(change)
  }

  /** Returns false: the reader has to read again. */
  async #signInReader(): Promise<false> {
    await this.#reader.post('/api/login', { email: this.#readerEmail, password: registration.password })
    return false
  }

  /** Every process runs and reports that it is ready. */
  async #ready(fault: Fault): Promise<void> {
    for (const { url, running, output } of Object.values(this.installation.programs).flat()) {
      expect(running(), output()).toBe(true)
      let last = ''
      const isReady = async () => {
        const answer = await fetch(new URL('/readyz', url))
        last = await answer.text()
        if (answer.status !== 200) await delay(POLL_INTERVAL_MS)
        return answer.status === 200
      }
      await until(isReady, `${url} to be ready after ${fault.name}`, RECOVERY_TIMEOUT_MS).catch((error: unknown) => {
        throw new Error(`${String(error)}; it answers ${last}, and the output of all is:\n${this.#outputs()}`)
      })
    }
    this.#memory = Math.max(this.#memory, this.installation.memory() ?? 0)
  }

  /** What the processes wrote of answers that no client should get. */
  #errors(): string {
    const lines = Object.values(this.installation.programs).flatMap((programs) =>
      programs.flatMap(({ output }) => output().split('\n')),
    )
    const failed = lines.flatMap((line) =>
      line.includes('"status":500') ? (/"requestId":"([^"]+)"/.exec(line)?.[1] ?? []) : [],
    )
    return lines.filter((line) => failed.some((id) => line.includes(id))).join('\n')
  }

  /** The last lines that each process wrote, without the polls. */
  #outputs(): string {
    const lines = Object.entries(this.installation.programs).flatMap(([service, programs]) =>
      programs.flatMap(({ output }) =>
        output()
          .split('\n')
          .filter((line) => line !== '' && !line.includes('"path":"/readyz"'))
          .slice(-20)
          .map((line) => `${service}: ${line.slice(0, 1_000)}`),
      ),
    )
    return lines.join('\n')
  }

  /** Each mail arrived, at most once more for each fault between its delivery and its record. */
  async #expectMails(parts: Dependencies, events: readonly RecordedEvent<AnyEvent>[]): Promise<string> {
    const deliveries = new Map<string, Delivery[]>()
    const delivered = this.installation.mail.deliveries()
    for (const delivery of delivered) deliveries.set(delivery.job, [...(deliveries.get(delivery.job) ?? []), delivery])
    const recorded = new Map(
      events.flatMap((event) => (event.type === 'MailSent' ? [[event.stream, event.at] as const] : [])),
    )
    const mostOf = ({ id }: RecordedEvent<AnyEvent>) => {
      const [deliveredAt = 0, recordedAt = Number.POSITIVE_INFINITY] = [
        deliveries.get(id)?.[0]?.at,
        recorded.get(`mail-${id}`),
      ]
      return (
        1 +
        this.#mailFaults.filter(
          ({ from, to }) => from <= recordedAt + CLOCK_TOLERANCE_MS && to >= deliveredAt - CLOCK_TOLERANCE_MS,
        ).length
      )
    }
    const counts = new Map([...deliveries].map(([job, { length }]) => [job, length]))
    const { causes, outdated } = await expectMails(parts, events, counts, mostOf)
    return `${causes} mails (${delivered.length - counts.size} came twice, ${outdated} outdated)`
  }
}

/** The number of answers 503 and the time until they came. */
export function describeRefusals(refused: readonly { readonly ms: number; readonly call: string }[]): string {
  const [slowest] = refused.toSorted((one, other) => other.ms - one.ms)
  if (!slowest) return 'no answer 503'
  const times = refused.map(({ ms }) => ms)
  const [half, most] = [0.5, 0.99].map((share) => Math.round(quantile(times, share)))
  return `${refused.length} answers 503 after ${half} ms (p50), ${most} ms (p99), ${Math.round(slowest.ms)} ms (most: ${slowest.call})`
}
