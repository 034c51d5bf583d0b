import { openFirm, silent } from './projection-harness.ts'
import { allProjections } from '#services/portal/modules.ts'
import { runProjector } from '#services/event-sourcing/read-models/projector.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'

/** For tests: a process that runs a projector on a firm's folder until it is killed. Its parent kills it. */

const folder = process.argv[2]
if (folder === undefined) throw new Error('Which folder?')
const { eventStore, store, keys } = openFirm(folder)
process.on('disconnect', () => process.exit())
process.send?.('at work')
const waits = { pollInterval: 5, retryAfter: 5, retireAfter: 20, leaseTime: 300 }
await runProjector({
  registry: eventRegistry,
  eventStore,
  store,
  personKeys: keys,
  projections: allProjections,
  log: silent,
  batchSize: 7,
  signal: new AbortController().signal,
  ...waits,
})
