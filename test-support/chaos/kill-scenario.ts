import { expect } from 'vitest'
import { type Service, services } from '../../services/server.ts'
import { killWhileStarting, type Program, startProgram, temporaryFolder } from '../program.ts'
import { expectMailFiles, expectSoundFiles } from './log-inspection.ts'
import { ChaosScenario } from './scenario.ts'

/** The number of clients that send changes at the same time. */
const CLIENTS = 16
const MASTER_KEY = 'the master key of a portal that is killed often'
const CHANGES_BEFORE_KILL = { least: 20, most: 150 }
/** Sessions checked after each kill. */
const SESSIONS_CHECKED = 10

/** A portal in one folder whose processes are killed under load: all services in one process, or each in its own. */
export class KillScenario extends ChaosScenario {
  readonly #portal: { readonly dataDir: string; readonly environment: { readonly MASTER_KEY: string } }

  constructor(dataDir = temporaryFolder()) {
    super({ DATA_DIR: dataDir, MASTER_KEY })
    this.#portal = { dataDir, environment: { MASTER_KEY } }
  }

  /** Kills the only process in each round, every fourth time once more while it starts. */
  async runTogether(rounds: number): Promise<void> {
    let portal = await startProgram(this.#portal)
    await this.#start(portal, portal)
    for (let round = 0; round < rounds; round++) {
      await this.#kill(portal)
      if (round % 4 === 1) {
        await killWhileStarting(this.#portal, this.random.whole(0, 800))
        this.kills += 1
      }
      portal = await startProgram(this.#portal)
      await this.#resume(portal, portal)
    }
    await this.#finish([portal], `one process, ${rounds} rounds`)
  }

  /** Kills one of three processes in each round while the others continue: each service once, then a random one. */
  async runApart(rounds: number): Promise<void> {
    const start = (service: Service) => startProgram({ ...this.#portal, service })
    const running: Record<Service, Program> = { command: await start('command'), query: await start('query'), worker: await start('worker') }
    await this.#start(running.command, running.query)
    for (let round = 0; round < rounds; round++) {
      const service = services[round] ?? this.random.pick(services)
      await this.#kill(running[service], service !== 'worker')
      running[service] = await start(service)
      await this.#resume(running.command, running.query)
    }
    await this.#finish(Object.values(running), `three processes, ${rounds} rounds`)
  }

  async #start(changes: Program, reads: Program): Promise<void> {
    const { target, workload } = this
    target.setUrls({ change: changes.url, read: reads.url })
    target.open()
    await workload.start(CLIENTS, await this.withStores(async ({ secrets }) => secrets))
  }

  async #kill(program: Program, answersClients = true): Promise<void> {
    await this.waitForChanges(CHANGES_BEFORE_KILL)
    await this.waitForAnyMoment(20)
    if (answersClients) this.target.close()
    await program.kill()
    this.kills += 1
  }

  async #resume(changes: Program, reads: Program): Promise<void> {
    const { target, workload } = this
    await this.expectNothingLost()
    target.setUrls({ change: changes.url, read: reads.url })
    await workload.checkSessions(SESSIONS_CHECKED)
    expect(workload.violations).toEqual([])
    target.open()
  }

  async #finish(programs: readonly Program[], run: string): Promise<void> {
    const { target, workload } = this
    await this.settle()
    await workload.checkSessions(Number.POSITIVE_INFINITY)
    expect(workload.violations).toEqual([])
    for (const program of programs) expect(await program.stop()).toBe(0)
    expect(target.cut, 'requests cut without a kill').toEqual([])
    const { dataDir } = this.#portal
    const mails = await this.withStores(async (parts) => expectMailFiles(dataDir, parts, await this.expectSoundStores(parts)))
    expectSoundFiles(dataDir)
    process.stdout.write(`kill -9, ${run}: ${this.describe()}, ${mails}\n`)
  }
}
