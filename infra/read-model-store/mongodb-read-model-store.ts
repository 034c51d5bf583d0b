import { connect } from '#infra/mongodb/mongodb-connection.ts'
import { createMongodbCheckpointStore } from './mongodb-checkpoint-store.ts'
import { createMongodbDeadLetterStore } from './mongodb-dead-letter-store.ts'
import { createMongodbDocumentStore } from './mongodb-document-store.ts'
import { createMongodbLeaseStore } from './mongodb-lease-store.ts'
import { createMongodbProjectionStore } from './mongodb-projection-store.ts'
import type { ReadModelStore } from './read-model-store.ts'

/**
 * Opens the read models in MongoDB, or what speaks its protocol: a standalone server is enough, since nothing needs a
 * transaction. Documents are written first, each where it is still at the position that was read, then the checkpoint.
 * A worker that is killed in between applies the same events again and skips what is there already.
 */
export function openMongodbReadModelStore(url: string): ReadModelStore {
  const connection = connect(url, 'view store')
  const checkpoints = createMongodbCheckpointStore(connection, url)
  return {
    documents: createMongodbDocumentStore(connection, checkpoints),
    checkpoints,
    projections: createMongodbProjectionStore(connection),
    deadLetters: createMongodbDeadLetterStore(connection),
    leases: createMongodbLeaseStore(connection),
    ready: connection.ready,
    async close() {
      checkpoints.close()
      await connection.close()
    },
  }
}
