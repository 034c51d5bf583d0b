import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteEventStore } from '#infra/event-store/sqlite-event-store.ts'
import { openSqliteReadModelStore } from '#infra/read-model-store/sqlite-read-model-store.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import { allProjections } from '#services/portal/modules.ts'
import { readProjectionsState } from './projection-progress.ts'

it('reads many states with as few queries as one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-views-'))
  const [eventStore, store] = [
    openSqliteEventStore(join(folder, 'events.db')),
    openSqliteReadModelStore(join(folder, 'views.db')),
  ]
  onTestFinished(async () => {
    await eventStore.close()
    await store.close()
    rmSync(folder, { recursive: true })
  })
  let queries = 0
  const counted =
    <Args extends readonly unknown[], Result>(query: (...args: Args) => Result) =>
    (...args: Args): Result => {
      queries += 1
      return query(...args)
    }
  const { checkpoints, projections, deadLetters } = store
  const counting: ReadModelStore = {
    ...store,
    checkpoints: { ...checkpoints, load: counted(checkpoints.load), loadAll: counted(checkpoints.loadAll) },
    projections: { ...projections, load: counted(projections.load), loadAll: counted(projections.loadAll) },
    deadLetters: { ...deadLetters, list: counted(deadLetters.list) },
  }
  const many = Array.from({ length: 10 }, () => allProjections).flat()
  const queriesFor = async (some: typeof many) => {
    queries = 0
    await readProjectionsState(eventStore, counting, some)
    return queries
  }
  expect(await queriesFor(many)).toBe(await queriesFor(many.slice(0, 1)))
})
