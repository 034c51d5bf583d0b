import { beforeAll, expect, it } from 'vitest'
import { type Service, services } from '../server.ts'
import { Workload, isCaughtUp, PortalTarget } from '../../test-support/chaos/workload.ts'
import { ExpectedEvents, type EventDifferences } from '../../test-support/chaos/expected-events.ts'
import {
  expectErased,
  expectFilesFor,
  expectEmailsAvailable,
  expectMailsFor,
  expectSoundFiles,
  expectUnbrokenChains,
  expectReadModelsMatchLog,
  decodeEvents,
  readLog,
  EventSequences,
  withStores,
} from '../../test-support/chaos/log-inspection.ts'
import { buildProgram, killWhileStarting, type Program, startProgram, temporaryFolder } from '../../test-support/program.ts'
import { until } from '../../test-support/until.ts'

/** `KILL_ROUNDS=100` for the long run. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 6)
const roundsApart = Math.ceil(rounds / 2)
const MASTER_KEY = 'the master key of those who are killed again and again'
const CLIENTS = 16

beforeAll(buildProgram, 120_000)

it(
  `keeps every answered change, once, over ${rounds} rounds of kill -9 under load`,
  async () => {
    const siege = new KillScenario()
    const start = () => startProgram({ dataDir: siege.dataDir, environment: { MASTER_KEY } })
    let portal = await start()
    await siege.start(portal.url, portal.url)
    for (let round = 0; round < rounds; round++) {
      await siege.waitForChanges()
      siege.target.close()
      await portal.kill()
      siege.kills += 1
      if (round % 4 === 3) {
        await killWhileStarting({ dataDir: siege.dataDir, environment: { MASTER_KEY } }, Math.random() * 800)
        siege.kills += 1
      }
      portal = await start()
      await siege.checkLog(portal.url, portal.url)
    }
    await siege.finish([portal], portal.url)
    siege.summary('in one process', rounds)
  },
  120_000 + rounds * 20_000,
)

it(
  `keeps every answered change, once, when command, query and worker are killed in turns over ${roundsApart} rounds`,
  async () => {
    const siege = new KillScenario()
    const start = (service: Service) => startProgram({ dataDir: siege.dataDir, environment: { MASTER_KEY }, service })
    const running: Record<Service, Program> = { command: await start('command'), query: await start('query'), worker: await start('worker') }
    await siege.start(running.command.url, running.query.url)
    for (let round = 0; round < roundsApart; round++) {
      await siege.waitForChanges()
      const service = services[Math.floor(Math.random() * services.length)] ?? 'command'
      // The others go on working for those who need only them.
      if (service !== 'worker') siege.target.close(service === 'command' ? 'change' : 'read')
      await running[service].kill()
      siege.kills += 1
      running[service] = await start(service)
      await siege.checkLog(running.command.url, running.query.url)
    }
    await siege.finish(Object.values(running), running.query.url)
    siege.summary('as three processes', roundsApart)
  },
  120_000 + roundsApart * 20_000,
)

/** One folder, one crowd, one ledger, and however many kills. */
class KillScenario {
  readonly dataDir = temporaryFolder()
  readonly target = new PortalTarget()
  readonly expectedEvents = new ExpectedEvents()
  readonly workload = new Workload(this.target, this.expectedEvents)
  kills = 0
  #worst: EventDifferences = { lost: [], duplicated: [], outOfOrder: [] }
  #threads = new EventSequences()
  #mails = ''

  async start(changes: string, reads: string): Promise<void> {
    this.target.setUrls({ change: changes, read: reads })
    this.target.open()
    await this.workload.start(CLIENTS, await withStores(this.dataDir, async ({ secrets }) => secrets, MASTER_KEY))
  }

  /** Lets a random number of changes be answered, and a random moment after that pass. */
  async waitForChanges(): Promise<void> {
    const enough = this.expectedEvents.acknowledged + 20 + Math.random() * 130
    await until(async () => this.expectedEvents.acknowledged >= enough, 'the crowd to change something', 60_000)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
  }

  /** After a kill, before anybody asks again: what was answered is there, and nothing twice. */
  async checkLog(changes: string, reads: string): Promise<void> {
    this.target.close()
    await this.target.waitUntilIdle()
    await withStores(this.dataDir, (parts) => this.#threads.readNext(parts), MASTER_KEY)
    const shortfall = this.expectedEvents.compare(this.#threads.sequences)
    expect(shortfall).toEqual(this.#worst)
    this.target.setUrls({ change: changes, read: reads })
    await this.workload.checkSessions(10)
    this.target.open()
    expect(this.workload.violations).toEqual([])
  }

  /** Everything is settled; then the folder is looked at from outside, thoroughly. */
  async finish(programs: readonly Program[], reads: string): Promise<void> {
    await this.workload.stop()
    await this.workload.checkSessions(Number.POSITIVE_INFINITY)
    await until(
      async () => {
        const response = await fetch(new URL('/readyz', reads))
        return isCaughtUp(await response.json())
      },
      'all views to be up to date',
      60_000,
    )
    const checkpoint = () =>
      withStores(
        this.dataDir,
        async ({ outbox, eventStore }) => (await outbox.checkpoint()) === (await eventStore.checkpointAtEnd()) && (await outbox.counts()).waiting === 0,
        MASTER_KEY,
      )
    await until(checkpoint, 'all mails to be handed over', 60_000)
    this.workload.settleLateRequests()
    for (const program of programs) expect(await program.stop()).toBe(0)
    expect(this.target.cut, 'requests cut without a kill').toEqual([])
    expect(this.workload.violations).toEqual([])

    await withStores(
      this.dataDir,
      async (parts) => {
        // From the beginning: what was read once must still be there.
        this.#threads = new EventSequences()
        await this.#threads.readNext(parts)
        expect(this.expectedEvents.compare(this.#threads.sequences)).toEqual(this.#worst)
        const { events } = await readLog(parts)
        expectUnbrokenChains(events)
        const facts = await decodeEvents(parts, events)
        await expectReadModelsMatchLog(parts, facts)
        const { sent, unexpected, temporaryFiles } = await expectMailsFor(this.dataDir, parts, facts)
        const { orphans } = await expectFilesFor(this.dataDir, facts)
        await expectEmailsAvailable(parts, this.workload.emailsGivenUp)
        await expectErased(parts, facts)
        this.#mails = `${sent} mails (${unexpected} had become pointless, ${temporaryFiles} drafts left), ${orphans} files without certificate`
      },
      MASTER_KEY,
    )
    expectSoundFiles(this.dataDir)
  }

  /** One line a run. */
  summary(how: string, rounds: number): void {
    const { lost, duplicated } = this.expectedEvents.compare(this.#threads.sequences)
    const { workload, expectedEvents } = this
    process.stdout.write(
      `kill -9 ${how}: ${rounds} rounds, ${this.kills} kills, ${this.#threads.eventCount} facts, ${expectedEvents.acknowledged} acknowledged, ` +
        `${workload.repeated} asked again, lost ${lost.length}, doubled ${duplicated.length}; ${workload.people.length} people, ${this.#mails}\n`,
    )
  }
}
