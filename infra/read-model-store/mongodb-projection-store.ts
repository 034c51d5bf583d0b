import { type Connection, falseIfDuplicate } from '#infra/mongodb/mongodb-connection.ts'
import type { ExpectedState, ProjectionState, ProjectionStore } from './projection-store.ts'

interface Stored extends Omit<ProjectionState, 'projection'> {
  readonly _id: string
}

export function createMongodbProjectionStore({ database, run }: Connection): ProjectionStore {
  const states = database.collection<Stored>('projections')

  const insert = async ({ projection, ...fields }: ProjectionState): Promise<void> => {
    await run(() => states.insertOne({ _id: projection, ...fields }).then(() => true, falseIfDuplicate))
  }

  const load = async (projection: string): Promise<ProjectionState | undefined> => {
    const stored = await run(() => states.findOne({ _id: projection }))
    return stored ? toState(stored) : undefined
  }

  return {
    load,
    async loadAll() {
      return new Map((await run(() => states.find().toArray())).map((stored) => [stored._id, toState(stored)]))
    },
    async create(state) {
      await insert(state)
      return (await load(state.projection)) ?? state
    },
    async update(projection, change, expected: ExpectedState = {}) {
      const { matchedCount } = await run(() =>
        states.updateOne({ _id: projection, ...expected }, { $set: { _id: projection, ...change } }),
      )
      return matchedCount > 0
    },
  }
}

function toState({ _id, ...fields }: Stored): ProjectionState {
  return { projection: _id, ...fields }
}
