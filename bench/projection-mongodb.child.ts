import { openSync, writeSync } from 'node:fs'
import { pino } from 'pino'
import type { z } from 'zod'
import { contentOf } from '../infra/read-model-store/mongodb-stored.ts'
import { openMongoViewStore } from '../infra/read-model-store/mongodb.ts'
import type { ViewStore } from '../infra/read-model-store/read-model-store.ts'
import { readConfig } from '../services/config.ts'
import { openDependencies } from '../services/composition-root.ts'
import { readRebuildState } from '../services/event-sourcing/projections/rebuild-state.ts'
import { allProjections } from '../services/projections/index.ts'
import { inputOf, say, scratchFolder } from './children.ts'
import { openLogWriter } from './log.ts'
import { project, reached } from './projecting.ts'
import { type mongodbOutcome, mongodbRun, type RecordedMongodbWrite, type Stage } from './projection-mongodb-run.ts'
import { LIVE_BATCH } from './projection-run.ts'

/** Projects a log in a file into all views in MongoDB, as the worker does it, and tells how long that took. */

const { url, events, liveEvents, recordTo } = inputOf(mongodbRun)
const log = pino({ level: 'warn' }, pino.destination(2))
const parts = await openDependencies(readConfig({ DATA_DIR: scratchFolder('log') }), log)
const { eventStore, personKeys } = parts
const mongodb = openMongoViewStore(url)
let stage: Stage = 'fill'
const viewStore = recordTo === undefined ? mongodb : recording(mongodb, recordTo)
const projection = { eventStore, viewStore, personKeys, log }
const writer = openLogWriter(eventStore, personKeys)

await writer.write(events)
const fill = await project(projection, { until: (store) => reached(store, eventStore.end()) })
for (const view of allProjections) await mongodb.open(view.collection((await readRebuildState(mongodb, view)).live))
await writer.write(liveEvents)
stage = 'live'
const live = await project(projection, { until: (store) => reached(store, eventStore.end()), batchSize: LIVE_BATCH })
await mongodb.close()
await parts.close()
say({ fill, live } satisfies z.infer<typeof mongodbOutcome>)
process.disconnect()

/** Notes every write with what the documents become in the database. */
function recording(store: ViewStore, path: string): ViewStore {
  const file = openSync(path, 'w')
  let made = 0
  return {
    ...store,
    async write(collection, writes, progress) {
      const search = allProjections.find(({ name }) => collection.startsWith(`${name.replaceAll('-', '_')}_v`))?.collection(collection).search ?? []
      const written: RecordedMongodbWrite = { stage, collection, position: progress?.position ?? '', made: [], changed: [] }
      for (const { id: _id, document, position, expected } of writes) {
        const content = { position, ...contentOf(document, search) }
        if (expected === null) written.made.push({ _id, made: (made += 1), ...content })
        else written.changed.push({ _id, expected, content })
      }
      writeSync(file, `${JSON.stringify(written)}\n`)
      return store.write(collection, writes, progress)
    },
  }
}
