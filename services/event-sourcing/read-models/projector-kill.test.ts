import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { loadProjectionState, requestRebuild } from './blue-green-rebuild.ts'
import { allProjections } from '#services/portal/modules.ts'
import { someWishes } from '#test-support/projections/event-history.ts'
import { randomSeed, seededRandom } from '#test-support/random-seed.ts'
import {
  openFirm,
  served,
  silent,
  startProjector,
  straightforward,
  untilCaughtUp,
} from '#test-support/projections/projection-harness.ts'
import { rebuildNow } from '#services/operations/rebuild-and-wait.ts'

const random = seededRandom()
/** `KILL_ROUNDS=100` for the long run. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 5)

it(
  `equals a rebuild after kill -9 of the projector at ${rounds} random moments`,
  async () => {
    const firm = openFirm()
    const history = [...fc.sample(someWishes, { numRuns: rounds * 4, seed: randomSeed() })]
    try {
      for (let round = 0; round < rounds; round++) {
        if (round % 2 === 1)
          await requestRebuild(firm.store.projections, allProjections[round % allProjections.length] ?? users)
        const child = await startChild(firm.folder)
        const killed = killAtRandom(child)
        while (child.exitCode === null && child.signalCode === null) {
          const wished = history.pop()
          if (!wished) break
          await firm.record(wished)
        }
        await killed
      }

      const last = startProjector(firm)
      await untilCaughtUp(firm)
      await last.stop()
      for (const projection of allProjections) {
        const expected = await straightforward(firm, projection)
        const shown = await served(firm.store, projection, Object.keys(expected))
        expect(shown).toEqual(expected)
      }

      const before = await Promise.all(
        allProjections.map(async (projection) =>
          served(firm.store, projection, Object.keys(await straightforward(firm, projection))),
        ),
      )
      const stores = { registry: eventRegistry, eventStore: firm.eventStore, store: firm.store, personKeys: firm.keys }
      await rebuildNow({
        ...stores,
        projections: allProjections,
        log: silent,
        signal: new AbortController().signal,
        pollInterval: 10,
        retireAfter: 0,
      })
      const after = await Promise.all(
        allProjections.map(async (projection) =>
          served(firm.store, projection, Object.keys(await straightforward(firm, projection))),
        ),
      )
      expect(after).toEqual(before)
      // Nothing was left behind on the way.
      const collections = await Promise.all(
        allProjections.map(
          async (projection) => (await loadProjectionState(firm.store.projections, projection)).serving,
        ),
      )
      expect(new Set((await firm.store.checkpoints.loadAll()).keys())).toEqual(new Set(collections))
      expect(await firm.store.deadLetters.list()).toEqual([])
    } finally {
      await firm.close()
    }
  },
  60_000 + rounds * 10_000,
)

async function startChild(folder: string): Promise<ChildProcess> {
  const program = fileURLToPath(
    new URL('../../../test-support/projections/killed-projection.child.ts', import.meta.url),
  )
  const child = spawn(process.execPath, ['--import', 'tsx', program, folder], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  return child
}

/** At a random moment in the first quarter of a second of its work. */
async function killAtRandom(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  setTimeout(() => child.kill('SIGKILL'), random.next() * 250)
  await exited
}
