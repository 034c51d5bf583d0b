import { pino } from 'pino'
import type { Checkpoint, StoredEvent } from '#infra/event-store/event-store.ts'
import { openDependencies, prepareDecisions, type Dependencies } from '#services/portal/composition-root.ts'
import { readConfig } from '#services/process/config.ts'
import { type AnyEvent, eventRegistry, personIdOf } from '#services/oversight/event-catalogue.ts'
import { decodeEvent, type RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { readLog as readBatches } from '#services/event-sourcing/read-log.ts'

/** Opens the stores of a data folder beside the processes that use them. */
export function withStores<Result>(
  dataDir: string,
  work: (parts: Dependencies) => Promise<Result>,
  masterKey?: string,
): Promise<Result> {
  return withDependencies({ DATA_DIR: dataDir, MASTER_KEY: masterKey }, work)
}

/** Opens the stores that variables name, beside the processes that use them. */
export async function withDependencies<Result>(
  variables: Readonly<Record<string, string | undefined>>,
  work: (parts: Dependencies) => Promise<Result>,
): Promise<Result> {
  const parts = await openDependencies(readConfig(variables), pino({ level: 'silent' }))
  try {
    await prepareDecisions(parts)
    return await work(parts)
  } finally {
    await parts.close()
  }
}

/** All stored events after a checkpoint. */
export async function readLog({ eventStore }: Pick<Dependencies, 'eventStore'>, after?: Checkpoint) {
  const events: StoredEvent[] = []
  let checkpoint = after
  for await (const batch of readBatches(eventStore, after)) {
    events.push(...batch.events)
    checkpoint = batch.checkpoint
  }
  return { events, checkpoint }
}

/** All stored events. */
export async function storedEvents(parts: Pick<Dependencies, 'eventStore'>): Promise<StoredEvent[]> {
  return (await readLog(parts)).events
}

export async function decodeEvents(
  { personKeys }: Pick<Dependencies, 'personKeys'>,
  events: readonly StoredEvent[],
): Promise<RecordedEvent<AnyEvent>[]> {
  const keys = await personKeys.get(events.flatMap(({ stream }) => personIdOf(stream) ?? []))
  return events.map((event) => decodeEvent(eventRegistry, event, keys.get(personIdOf(event.stream) ?? '')))
}
