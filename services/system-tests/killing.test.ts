import { beforeAll, expect, it } from 'vitest'
import { type Service, services } from '../server.ts'
import { Crowd, isUpToDate, Target } from '../../test-support/chaos/workload.ts'
import { Ledger, type Shortfall } from '../../test-support/chaos/expected-events.ts'
import {
  expectErased,
  expectFilesOf,
  expectFree,
  expectMailsOf,
  expectSoundFiles,
  expectUnbrokenChains,
  expectViewsOfTheLog,
  factsOf,
  readLog,
  Threads,
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
    const siege = new Siege()
    const start = () => startProgram({ dataDir: siege.dataDir, environment: { MASTER_KEY } })
    let portal = await start()
    await siege.begin(portal.url, portal.url)
    for (let round = 0; round < rounds; round++) {
      await siege.someChanges()
      siege.target.close()
      await portal.kill()
      siege.kills += 1
      if (round % 4 === 3) {
        await killWhileStarting({ dataDir: siege.dataDir, environment: { MASTER_KEY } }, Math.random() * 800)
        siege.kills += 1
      }
      portal = await start()
      await siege.takeStock(portal.url, portal.url)
    }
    await siege.end([portal], portal.url)
    siege.tell('in one process', rounds)
  },
  120_000 + rounds * 20_000,
)

it(
  `keeps every answered change, once, when command, query and worker are killed in turns over ${roundsApart} rounds`,
  async () => {
    const siege = new Siege()
    const start = (service: Service) => startProgram({ dataDir: siege.dataDir, environment: { MASTER_KEY }, service })
    const running: Record<Service, Program> = { command: await start('command'), query: await start('query'), worker: await start('worker') }
    await siege.begin(running.command.url, running.query.url)
    for (let round = 0; round < roundsApart; round++) {
      await siege.someChanges()
      const service = services[Math.floor(Math.random() * services.length)] ?? 'command'
      // The others go on working for those who need only them.
      if (service !== 'worker') siege.target.close(service === 'command' ? 'change' : 'read')
      await running[service].kill()
      siege.kills += 1
      running[service] = await start(service)
      await siege.takeStock(running.command.url, running.query.url)
    }
    await siege.end(Object.values(running), running.query.url)
    siege.tell('as three processes', roundsApart)
  },
  120_000 + roundsApart * 20_000,
)

/** One folder, one crowd, one ledger, and however many kills. */
class Siege {
  readonly dataDir = temporaryFolder()
  readonly target = new Target()
  readonly ledger = new Ledger()
  readonly crowd = new Crowd(this.target, this.ledger)
  kills = 0
  #worst: Shortfall = { lost: [], doubled: [], disordered: [] }
  #threads = new Threads()
  #mails = ''

  async begin(changes: string, reads: string): Promise<void> {
    this.target.move({ change: changes, read: reads })
    this.target.open()
    await this.crowd.enter(CLIENTS, await withStores(this.dataDir, async ({ secrets }) => secrets, MASTER_KEY))
  }

  /** Lets a random number of changes be answered, and a random moment after that pass. */
  async someChanges(): Promise<void> {
    const enough = this.ledger.acknowledged + 20 + Math.random() * 130
    await until(async () => this.ledger.acknowledged >= enough, 'the crowd to change something', 60_000)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
  }

  /** After a kill, before anybody asks again: what was answered is there, and nothing twice. */
  async takeStock(changes: string, reads: string): Promise<void> {
    this.target.close()
    await this.target.quiet()
    await withStores(this.dataDir, (parts) => this.#threads.readOn(parts), MASTER_KEY)
    const shortfall = this.ledger.compare(this.#threads.found)
    expect(shortfall).toEqual(this.#worst)
    this.target.move({ change: changes, read: reads })
    await this.crowd.checkSessions(10)
    this.target.open()
    expect(this.crowd.complaints).toEqual([])
  }

  /** Everything is settled; then the folder is looked at from outside, thoroughly. */
  async end(programs: readonly Program[], reads: string): Promise<void> {
    await this.crowd.leave()
    await this.crowd.checkSessions(Number.POSITIVE_INFINITY)
    await until(
      async () => {
        const response = await fetch(new URL('/readyz', reads))
        return isUpToDate(await response.json())
      },
      'all views to be up to date',
      60_000,
    )
    const checkpoint = () =>
      withStores(
        this.dataDir,
        async ({ mailQueue, eventStore }) =>
          (await mailQueue.checkpoint()) === (await eventStore.checkpointAtEnd()) && (await mailQueue.counts()).waiting === 0,
        MASTER_KEY,
      )
    await until(checkpoint, 'all mails to be handed over', 60_000)
    this.crowd.settleLate()
    for (const program of programs) expect(await program.stop()).toBe(0)
    expect(this.target.cut, 'requests cut without a kill').toEqual([])
    expect(this.crowd.complaints).toEqual([])

    await withStores(
      this.dataDir,
      async (parts) => {
        // From the beginning: what was read once must still be there.
        this.#threads = new Threads()
        await this.#threads.readOn(parts)
        expect(this.ledger.compare(this.#threads.found)).toEqual(this.#worst)
        const { events } = await readLog(parts)
        expectUnbrokenChains(events)
        const facts = await factsOf(parts, events)
        await expectViewsOfTheLog(parts, facts)
        const { sent, pointless, drafts } = await expectMailsOf(this.dataDir, parts, facts)
        const { orphans } = await expectFilesOf(this.dataDir, facts)
        await expectFree(parts, this.crowd.emailsGivenUp)
        await expectErased(parts, facts)
        this.#mails = `${sent} mails (${pointless} had become pointless, ${drafts} drafts left), ${orphans} files without certificate`
      },
      MASTER_KEY,
    )
    expectSoundFiles(this.dataDir)
  }

  /** One line a run. */
  tell(how: string, rounds: number): void {
    const { lost, doubled } = this.ledger.compare(this.#threads.found)
    const { crowd, ledger } = this
    process.stdout.write(
      `kill -9 ${how}: ${rounds} rounds, ${this.kills} kills, ${this.#threads.facts} facts, ${ledger.acknowledged} acknowledged, ` +
        `${crowd.repeated} asked again, lost ${lost.length}, doubled ${doubled.length}; ${crowd.people.length} people, ${this.#mails}\n`,
    )
  }
}
