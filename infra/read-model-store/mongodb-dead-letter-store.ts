import { comparePositions } from '#infra/event-store/event-store.ts'
import type { Connection } from '#infra/mongodb/mongodb-connection.ts'
import type { DeadLetter, DeadLetterStore } from './dead-letter-store.ts'

interface Stored extends Omit<DeadLetter, 'consumer'> {
  readonly _id: string
  readonly reader: string
}

export function createMongodbDeadLetterStore({ database, run }: Connection): DeadLetterStore {
  const letters = database.collection<Stored>('poison')
  const idOf = (consumer: string, { stream, revision }: Pick<DeadLetter, 'stream' | 'revision'>): string =>
    JSON.stringify([consumer, stream, revision])

  return {
    async add({ consumer, ...letter }) {
      await run(() =>
        letters.replaceOne({ _id: idOf(consumer, letter) }, { reader: consumer, ...letter }, { upsert: true }),
      )
    },
    async list(consumer) {
      const found = await run(() =>
        letters.find(consumer === undefined ? {} : { reader: consumer }, { projection: { _id: 0 } }).toArray(),
      )
      return found
        .map(({ reader, ...letter }) => ({ consumer: reader, ...letter }))
        .sort(
          (one, other) => comparePositions(one.position, other.position) || (one.consumer < other.consumer ? -1 : 1),
        )
    },
    async delete(consumer, event) {
      await run(() => letters.deleteMany(event ? { _id: idOf(consumer, event) } : { reader: consumer }))
    },
  }
}
