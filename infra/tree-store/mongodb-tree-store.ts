import { Binary } from 'mongodb'
import { type Checkpoint, type Position, toCheckpoint, toPosition } from '#infra/event-store/event-store.ts'
import { anyOf, connect } from '#infra/mongodb/mongodb-connection.ts'
import type { TreeBlock, TreeState, TreeStore } from './tree-store.ts'

interface StoredBlock {
  readonly _id: number
  readonly size: number
  readonly content: Binary
}

interface StoredState {
  readonly _id: number
  readonly size: number
  readonly pending: number
  readonly position: Position
  readonly checkpoint: Checkpoint
}

const STATE = 1

/** Blocks written at once. */
const SIDE_BY_SIDE = 8

/**
 * The tree over the log in MongoDB. Blocks come before the state, so a worker that is killed in between writes the same
 * again.
 */
export function openMongodbTreeStore(url: string): TreeStore {
  const { database, run, upsert, close } = connect(url, 'tree store')
  const blocks = database.collection<StoredBlock>('tree_blocks')
  const states = database.collection<StoredState>('tree_state')

  /** Another process may write the same block at the same time: the larger one stays. */
  const writeBlock = ({ key, size, content }: TreeBlock): Promise<void> => {
    const fields = { size, content: new Binary(content) }
    return upsert(
      () => blocks.updateOne({ _id: key, size: { $lt: size } }, { $set: fields }),
      () => blocks.insertOne({ _id: key, ...fields }),
    )
  }

  const writeState = (state: TreeState): Promise<void> =>
    upsert(
      () => states.updateOne({ _id: STATE, size: { $lte: state.size } }, { $set: state }),
      () => states.insertOne({ _id: STATE, ...state }),
    )

  return {
    async state() {
      const found = await run(() => states.findOne({ _id: STATE }))
      if (!found) return undefined
      const { size, pending, position, checkpoint } = found
      return { size, pending, position: toPosition(position), checkpoint: toCheckpoint(checkpoint) }
    },
    async read(keys) {
      if (keys.length === 0) return new Map()
      const found = await run(() => blocks.find({ _id: anyOf(keys) }).toArray())
      return new Map(
        found.map(({ _id: key, size, content }) => [key, { key, size, content: new Uint8Array(content.value()) }]),
      )
    },
    async write(written, state) {
      for (let from = 0; from < written.length; from += SIDE_BY_SIDE)
        await Promise.all(written.slice(from, from + SIDE_BY_SIDE).map(writeBlock))
      await writeState(state)
    },
    async clear() {
      // The state first: a kill in between leaves blocks that the next building writes again.
      await run(() => states.deleteMany({}))
      await run(() => blocks.deleteMany({}), true)
    },
    close,
  }
}
