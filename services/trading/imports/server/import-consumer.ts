import type { FileStore } from '#infra/file-store/file-store.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import { readableEvents } from '#services/event-sourcing/subscriptions/dead-letter.ts'
import type { Consumer } from '#services/event-sourcing/subscriptions/log-subscription.ts'
import { importId } from '#services/framework/ids.ts'
import { runImport } from './run-import.ts'

/** The name of its checkpoint. */
const IMPORTS = 'imports of statements'

export interface ImportConsumerDependencies {
  readonly repositories: Repositories
  readonly files: FileStore
  readonly store: Pick<ReadModelStore, 'checkpoints' | 'deadLetters'>
  readonly log: Log
  readonly now: () => number
}

/**
 * Runs each import that is confirmed, and removes the rows of one that is lost. It follows the log on its own, since an
 * import takes up to a minute: policies and read models do not wait for it. A worker that dies leaves it to the next,
 * which begins at the same event.
 */
export function createImportConsumer({ repositories, files, store, log, now }: ImportConsumerDependencies): Consumer {
  return {
    name: IMPORTS,

    async start() {
      const saved = await store.checkpoints.load(IMPORTS)
      return { checkpoint: saved?.checkpoint, position: saved?.position }
    },

    async apply({ events, checkpoint, position }) {
      const ended = events.filter(({ stored: { type } }) => type === 'ImportConfirmed' || type === 'ImportLost')
      for (const { id, stream, metadata } of await readableEvents(IMPORTS, ended, store.deadLetters, log)) {
        // It is recorded in the name of the member who confirmed it.
        const context = { ...systemContext('worker', metadata.requestId, id), actor: metadata.actor }
        await runImport({ repositories, files, now }, importId.parse(parseStreamName(stream).id), {
          ...context,
          correlationId: metadata.correlationId,
        })
      }
      if (events.length > 0) await store.checkpoints.save({ consumer: IMPORTS, checkpoint, position })
    },
  }
}
