import type { ProjectionState, ReadModelStore, ViewStore } from './read-model-store.ts'

/** Temporary: the five ports over the one that the adapters still have. */
export function bridged(store: ViewStore): ReadModelStore {
  const nameOf = (projection: string) => `projection:${projection}`
  const parsed = (projection: string, text: string): ProjectionState => {
    const state: ProjectionState = { ...JSON.parse(text), projection }
    return state
  }
  const load = async (projection: string) => {
    const text = await store.setting(nameOf(projection))
    return text === undefined ? undefined : parsed(projection, text)
  }
  return {
    documents: {
      create: (collection) => store.open(collection, { loading: true }),
      createIndexes: (collection) => store.open(collection),
      read: store.read,
      write: (collection, writes, checkpoint) => store.write(collection, writes, checkpoint && { ...checkpoint, reader: checkpoint.consumer }),
      find: store.find,
      count: store.count,
      drop: store.drop,
    },
    checkpoints: {
      load: store.progress,
      loadAll: store.readers,
      async save(...checkpoints) {
        await Promise.all(checkpoints.map(({ consumer, ...progress }) => store.saveProgress(consumer, progress)))
      },
      delete: store.forgetReader,
      saved: store.progressed,
    },
    projections: {
      load,
      async loadAll() {
        const settings = await store.settings()
        return new Map(
          [...settings].flatMap(([name, text]) => (name.startsWith('projection:') ? [[name.slice(11), parsed(name.slice(11), text)] as const] : [])),
        )
      },
      async create(state) {
        const known = await load(state.projection)
        if (!known) await store.saveSetting(nameOf(state.projection), JSON.stringify(state))
        return known ?? state
      },
      async update(projection, change, expected = {}) {
        const state = await load(projection)
        if (!state || Object.entries(expected).some(([field, value]) => Reflect.get(state, field) !== value)) return false
        await store.saveSetting(nameOf(projection), JSON.stringify({ ...state, ...change }))
        return true
      },
    },
    deadLetters: {
      add: ({ consumer, ...letter }) => store.setAside({ ...letter, reader: consumer }),
      list: async (consumer) => (await store.poison(consumer)).map(({ reader, ...letter }) => ({ consumer: reader, ...letter })),
      delete: store.forgetPoison,
    },
    leases: { acquire: store.lease, release: store.release },
    ready: store.ready,
    close: store.close,
  }
}
