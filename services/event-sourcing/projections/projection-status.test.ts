import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteEventStore } from '../../../infra/event-store/sqlite-event-store.ts'
import { openSqliteViewStore } from '../../../infra/read-model-store/sqlite.ts'
import type { ViewStore } from '../../../infra/read-model-store/read-model-store.ts'
import { allProjections } from '../../projections/index.ts'
import { readProjectionsState } from './projection-status.ts'

it('is told of many views for as few questions as of one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-views-'))
  const [eventStore, store] = [openSqliteEventStore(join(folder, 'events.db')), openSqliteViewStore(join(folder, 'views.db'))]
  onTestFinished(async () => {
    await eventStore.close()
    await store.close()
    rmSync(folder, { recursive: true })
  })
  let asked = 0
  const counting: ViewStore = new Proxy(store, {
    get(target, name, receiver) {
      asked += 1
      return Reflect.get(target, name, receiver)
    },
  })
  const many = Array.from({ length: 10 }, () => allProjections).flat()
  const questions = async (views: typeof many) => {
    asked = 0
    await readProjectionsState(eventStore, counting, views)
    return asked
  }
  expect(await questions(many)).toBe(await questions(many.slice(0, 1)))
})
