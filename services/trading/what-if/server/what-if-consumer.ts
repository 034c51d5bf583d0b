import { Unavailable } from '#infra/failures.ts'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { readableEvents } from '#services/event-sourcing/subscriptions/dead-letter.ts'
import type { Consumer } from '#services/event-sourcing/subscriptions/log-subscription.ts'
import { stageEvents } from '#services/trading/accounts/stage-read-model.ts'
import { programmeId } from '#services/framework/ids.ts'
import { programmeEvents } from '#services/programmes/programmes/programme.ts'
import { runWhatIf } from './run-what-if.ts'

/** The name of its checkpoint. */
const WHAT_IFS = 'what-ifs of programmes'

export interface WhatIfConsumerDependencies {
  readonly repositories: Repositories
  readonly readModels: ReadModels
  readonly files: FileStore
  readonly store: Pick<ReadModelStore, 'checkpoints' | 'deadLetters'>
  readonly log: Log
  readonly now: () => number
  /** Aborts when the worker stops: what is being computed begins again at the next start. */
  readonly signal: AbortSignal
}

/**
 * Computes each what-if that is asked for. It follows the log on its own, since it takes up to a minute. A worker that
 * dies leaves it to the next, which begins again.
 */
export function createWhatIfConsumer(parts: WhatIfConsumerDependencies): Consumer {
  const { store, readModels, log } = parts
  return {
    name: WHAT_IFS,

    async start() {
      const saved = await store.checkpoints.load(WHAT_IFS)
      return { checkpoint: saved?.checkpoint, position: saved?.position }
    },

    async apply({ events, checkpoint, position }) {
      const asked = events.filter(({ stored }) => stored.type === 'ProgrammeTrialRequested')
      for (const event of await readableEvents(WHAT_IFS, asked, store.deadLetters, log)) {
        const { data, id, stream, metadata } = event
        // The history up to here, at least. When it throws, it is started again.
        if (!(await readModels.waitFor([stageEvents], event.position))) throw new Unavailable('read model')
        const programme = programmeId.parse(parseStreamName(stream).id)
        const context = { ...systemContext('worker', metadata.requestId, id), correlationId: metadata.correlationId }
        await runWhatIf(
          parts,
          { id: programme, ...programmeEvents.ProgrammeTrialRequested.schema.parse(data) },
          context,
        )
      }
      if (events.length > 0) await store.checkpoints.save({ consumer: WHAT_IFS, checkpoint, position })
    },
  }
}
