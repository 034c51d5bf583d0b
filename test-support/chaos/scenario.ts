import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Dependencies } from '#services/portal/composition-root.ts'
import type { AnyEvent } from '#services/oversight/event-catalogue.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { seededRandom } from '#test-support/random-seed.ts'
import { decodeEvents, storedEvents, withDependencies } from '#test-support/stores.ts'
import { until } from '#test-support/until.ts'
import { ExpectedEvents } from './expected-events.ts'
import {
  EventSequences,
  expectEmailsAvailable,
  expectErased,
  expectFiles,
  expectReadModelsMatchLog,
  expectUnbrokenChains,
} from './log-inspection.ts'
import { PortalTarget, Workload, type WorkloadOptions } from './workload.ts'

/** The longest wait in ms for the workload's changes to be answered: a busy machine may need minutes. */
const CHANGES_TIMEOUT_MS = 120_000
/**
 * The longest wait in ms until every event is visible and every mail sent: FerretDB reads a whole collection for each
 * change.
 */
const SETTLING_TIMEOUT_MS = 600_000

/** The number of changes answered between two faults. */
export interface ChangeRange {
  readonly least: number
  readonly most: number
}

/**
 * Clients change a portal while processes are killed or servers fail. The log must then hold every acknowledged change
 * once, and nothing else. All choices come from one seed: `TEST_SEED` repeats them.
 */
export class ChaosScenario {
  readonly random = seededRandom()
  readonly target = new PortalTarget()
  readonly expectedEvents = new ExpectedEvents()
  readonly workload: Workload
  kills = 0
  #sequences = new EventSequences()

  /** @param variables those of the processes: they say where the stores are */
  constructor(
    readonly variables: Readonly<Record<string, string>>,
    options: WorkloadOptions = {},
  ) {
    this.workload = new Workload(this.target, this.expectedEvents, options)
  }

  /** Opens the stores beside the processes that use them. */
  withStores<Result>(work: (parts: Dependencies) => Promise<Result>): Promise<Result> {
    return withDependencies(this.variables, work)
  }

  /** Waits until a random number of changes was answered. */
  async waitForChanges({ least, most }: ChangeRange, when = ''): Promise<void> {
    const enough = this.expectedEvents.acknowledged + this.random.whole(least, most)
    await until(
      async () => this.expectedEvents.acknowledged >= enough,
      `changes to be answered ${when}`,
      CHANGES_TIMEOUT_MS,
    )
  }

  /** Lets a random moment pass, so that a fault meets requests in every state. */
  async waitForAnyMoment(most: number): Promise<void> {
    await delay(this.random.next() * most)
  }

  /**
   * Holds the clients back until each has its answer. Then every acknowledged change must be in the log, and none
   * twice.
   */
  async expectNothingLost(when = '', idleTimeout?: number): Promise<void> {
    this.target.close()
    await this.target.waitUntilIdle(idleTimeout)
    await this.withStores((parts) => this.#sequences.readNext(parts))
    expect(this.expectedEvents.compare(this.#sequences.sequences), when).toEqual([])
    expect(this.workload.violations, when).toEqual([])
  }

  /** Ends the workload and waits until every event is visible and every mail sent. */
  async settle(): Promise<void> {
    await this.workload.stop()
    await this.withStores(async ({ eventStore, outbox, readModelStore }) => {
      const isSettled = async () => {
        const end = Number(await eventStore.end())
        const checkpoints = [...(await readModelStore.checkpoints.loadAll())]
        const isVisible = checkpoints.every(
          ([consumer, { position }]) => consumer === 'sealer' || Number(position) >= end,
        )
        return (
          isVisible &&
          (await outbox.checkpoint()) === (await eventStore.checkpointAtEnd()) &&
          (await outbox.counts()).waiting === 0
        )
      }
      await until(isSettled, 'all events to be visible and all mails sent', SETTLING_TIMEOUT_MS)
    })
    this.workload.settleLateChanges()
    expect(this.workload.violations).toEqual([])
  }

  /**
   * Reads the log from its beginning: what was read once must still be there, and the read models must follow from it.
   */
  async expectSoundStores(parts: Dependencies): Promise<RecordedEvent<AnyEvent>[]> {
    this.#sequences = new EventSequences()
    await this.#sequences.readNext(parts)
    expect(this.expectedEvents.compare(this.#sequences.sequences)).toEqual([])
    const stored = await storedEvents(parts)
    expectUnbrokenChains(stored)
    const events = await decodeEvents(parts, stored)
    await expectReadModelsMatchLog(parts, events)
    await expectEmailsAvailable(parts, this.workload.emailsGivenUp)
    await expectErased(parts, events)
    await expectFiles(parts, events)
    return events
  }

  /** One line about a run. */
  describe(): string {
    const { workload, expectedEvents } = this
    return (
      `${this.kills} kills, ${this.#sequences.eventCount} events, ${expectedEvents.acknowledged} acknowledged changes, ` +
      `${workload.repeated} requests repeated, ${workload.people.length} people`
    )
  }
}
