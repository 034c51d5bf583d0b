import { type Connection, falseIfDuplicate } from '../mongodb/mongodb-connection.ts'
import type { ExpectedState, ProjectionState, ProjectionStore } from './projection-store.ts'

interface Stored extends Omit<ProjectionState, 'projection'> {
  readonly _id: string
}

export function createMongodbProjectionStore({ database, run }: Connection): ProjectionStore {
  const states = database.collection<Stored>('projections')
  const settings = database.collection<{ readonly _id: string; readonly value: string }>('settings')
  let imported: Promise<void> | undefined

  /** Up to version e747b87 a state was several settings. Collections served then are still served. */
  const importSettings = async (): Promise<void> => {
    const found = await run(() => settings.find().toArray())
    for (const state of statesIn(new Map(found.map(({ _id, value }) => [_id, value])))) await insert(state)
    await run(() => settings.deleteMany({}))
  }

  const whenImported = (): Promise<void> => {
    imported ??= importSettings().catch((error: unknown) => {
      imported = undefined
      throw error
    })
    return imported
  }

  const insert = async ({ projection, ...fields }: ProjectionState): Promise<void> => {
    await run(() => states.insertOne({ _id: projection, ...fields }).then(() => true, falseIfDuplicate))
  }

  const load = async (projection: string): Promise<ProjectionState | undefined> => {
    await whenImported()
    const stored = await run(() => states.findOne({ _id: projection }))
    return stored ? toState(stored) : undefined
  }

  return {
    load,
    async loadAll() {
      await whenImported()
      return new Map((await run(() => states.find().toArray())).map((stored) => [stored._id, toState(stored)]))
    },
    async create(state) {
      await whenImported()
      await insert(state)
      return (await load(state.projection)) ?? state
    },
    async update(projection, change, expected: ExpectedState = {}) {
      await whenImported()
      const { matchedCount } = await run(() => states.updateOne({ _id: projection, ...expected }, { $set: { _id: projection, ...change } }))
      return matchedCount > 0
    },
  }
}

function toState({ _id, ...fields }: Stored): ProjectionState {
  return { projection: _id, ...fields }
}

/** The states that the settings of version e747b87 describe, for example 'view:users' and 'building:users'. */
function statesIn(settings: ReadonlyMap<string, string>): ProjectionState[] {
  return [...settings].flatMap(([name, serving]) => {
    const projection = /^view:(.+)$/.exec(name)?.[1]
    if (projection === undefined) return []
    const building = settings.get(`building:${projection}`) ?? null
    const retired = settings.get(`retired:${projection}`)?.split(' ') ?? []
    // That version may have been killed between two settings.
    return {
      projection,
      serving,
      building: building === serving ? null : building,
      retired: retired.filter((collection) => collection !== serving && collection !== building && collection !== ''),
      generation: Number(settings.get(`generation:${projection}`) ?? 1),
      rebuildRequested: settings.has(`rebuild:${projection}`),
      pace: null,
    }
  })
}
