import { expect } from 'vitest'
import { type Service, services } from '#services/cli/server.ts'
import {
  killWhileStarting,
  type Program,
  type ProgramOptions,
  startProgram,
  temporaryFolder,
} from '#test-support/program.ts'
import { expectMailFiles, expectSoundFiles } from './log-inspection.ts'
import { ChaosScenario } from './scenario.ts'

/** The number of clients that send changes at the same time. */
const CLIENTS = 16
const MASTER_KEY = 'the master key of a portal that is killed often'
const CHANGES_BEFORE_KILL = { least: 20, most: 150 }
/** Sessions checked after each kill. */
const SESSIONS_CHECKED = 10

type Process = Service | 'whole portal'

/** A portal in one folder whose processes are killed under load: all services in one process, or each in its own. */
export class KillScenario extends ChaosScenario {
  readonly #running = new Map<Process, Program>()

  constructor(readonly dataDir = temporaryFolder()) {
    super({ DATA_DIR: dataDir, MASTER_KEY })
  }

  /** Kills the only process in each round, every fourth time once more while it starts. */
  async runTogether(rounds: number): Promise<void> {
    await this.#run(['whole portal'], rounds)
  }

  /** Kills one of three processes in each round while the others continue: each service once, then a random one. */
  async runApart(rounds: number): Promise<void> {
    await this.#run(services, rounds)
  }

  async #run(processes: readonly Process[], rounds: number): Promise<void> {
    for (const name of processes) await this.#start(name)
    this.target.open()
    await this.workload.start(CLIENTS, await this.withStores(async ({ secrets }) => secrets))
    for (let round = 0; round < rounds; round++) {
      const name = processes[round] ?? this.random.pick(processes)
      await this.#kill(name)
      if (name === 'whole portal' && round % 4 === 1) {
        await killWhileStarting(this.#optionsOf(name), this.random.whole(0, 800))
        this.kills += 1
      }
      await this.#start(name)
      await this.expectNothingLost()
      await this.#expectSessions(SESSIONS_CHECKED)
      this.target.open()
    }
    await this.settle()
    await this.#expectSessions(Number.POSITIVE_INFINITY)
    for (const program of this.#running.values()) expect(await program.stop()).toBe(0)
    expect(this.target.cut, 'requests cut without a kill').toEqual([])
    const mails = await this.withStores(async (parts) =>
      expectMailFiles(this.dataDir, parts, await this.expectSoundStores(parts)),
    )
    expectSoundFiles(this.dataDir)
    process.stdout.write(`kill -9, ${processes.join(', ')}, ${rounds} rounds: ${this.describe()}, ${mails}\n`)
  }

  #optionsOf(name: Process): ProgramOptions {
    return { dataDir: this.dataDir, environment: { MASTER_KEY }, ...(name !== 'whole portal' && { service: name }) }
  }

  /** Starts a process. Clients send their requests to where the portal now is. */
  async #start(name: Process): Promise<void> {
    this.#running.set(name, await startProgram(this.#optionsOf(name)))
    const urlOf = (service: Service) => (this.#running.get(service) ?? this.#running.get('whole portal'))?.url ?? ''
    this.target.setUrls({ change: urlOf('command'), read: urlOf('query') })
  }

  async #kill(name: Process): Promise<void> {
    await this.waitForChanges(CHANGES_BEFORE_KILL)
    await this.waitForAnyMoment(20)
    // No client waits for a worker.
    if (name !== 'worker') this.target.close()
    await this.#running.get(name)?.kill()
    this.kills += 1
  }

  async #expectSessions(most: number): Promise<void> {
    await this.workload.checkSessions(most)
    expect(this.workload.violations).toEqual([])
  }
}
