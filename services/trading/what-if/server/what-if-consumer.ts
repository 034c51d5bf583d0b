import { Unavailable } from '#infra/failures.ts'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { Consumer } from '#services/event-sourcing/subscriptions/log-subscription.ts'
import {
  createWorkConsumer,
  type WorkConsumerDependencies,
} from '#services/event-sourcing/subscriptions/work-consumer.ts'
import { stageEvents } from '#services/trading/accounts/stage-read-model.ts'
import { programmeId } from '#services/framework/ids.ts'
import { programmeEvents } from '#services/programmes/programmes/programme.ts'
import { runWhatIf } from './run-what-if.ts'

export interface WhatIfConsumerDependencies extends WorkConsumerDependencies {
  readonly repositories: Repositories
  readonly readModels: ReadModels
  readonly files: FileStore
  readonly now: () => number
  /** Aborts when the worker stops: what is being computed begins again at the next start. */
  readonly signal: AbortSignal
}

/** Computes each what-if that is asked for. */
export function createWhatIfConsumer(parts: WhatIfConsumerDependencies): Consumer {
  const types = ['ProgrammeTrialRequested']
  return createWorkConsumer('what-ifs of programmes', types, parts, async ({ data, stream, position }, context) => {
    // The history up to here, at least. When it throws, it is started again.
    if (!(await parts.readModels.waitFor([stageEvents], position))) throw new Unavailable('read model')
    const id = programmeId.parse(parseStreamName(stream).id)
    await runWhatIf(parts, { id, ...programmeEvents.ProgrammeTrialRequested.schema.parse(data) }, context)
  })
}
