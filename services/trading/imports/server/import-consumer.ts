import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import type { Consumer } from '#services/event-sourcing/subscriptions/log-subscription.ts'
import {
  createWorkConsumer,
  type WorkConsumerDependencies,
} from '#services/event-sourcing/subscriptions/work-consumer.ts'
import { importId } from '#services/framework/ids.ts'
import { type ImportRunParts, runImport } from './run-import.ts'

export type ImportConsumerDependencies = WorkConsumerDependencies & ImportRunParts

/** Runs each import that is confirmed, and removes the rows of one that is lost. */
export function createImportConsumer(parts: ImportConsumerDependencies): Consumer {
  const types = ['ImportConfirmed', 'ImportLost']
  return createWorkConsumer('imports of statements', types, parts, ({ stream, metadata }, context) =>
    // It is recorded in the name of the member who confirmed it.
    runImport(parts, importId.parse(parseStreamName(stream).id), { ...context, actor: metadata.actor }),
  )
}
