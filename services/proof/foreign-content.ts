import { ForeignSchema, Unavailable } from '#infra/failures.ts'
import { type EventStore, start, toPosition } from '#infra/event-store/event-store.ts'
import { type Finding, findingAt } from './log-finding.ts'

/** What is in the stores beside what the portal put there, or lacks: no row that a verification reads shows it. */

/** A store that says what is wrong with it when it is asked whether it is ready. */
export interface AskedStore {
  ready(): Promise<void>
}

/** The stores of an installation that can have something foreign in them. */
export function askedStores(
  parts: Readonly<Record<'eventStore' | 'keyStore' | 'readModelStore' | 'sessionStore' | 'outbox', AskedStore>>,
) {
  return [parts.eventStore, parts.keyStore, parts.readModelStore, parts.sessionStore, parts.outbox]
}

/** Triggers, views, tables and indexes that are not ours. What else ails a store is not for a verification. */
export async function foreignSchema(stores: readonly AskedStore[]): Promise<Finding | undefined> {
  for (const store of stores) {
    const error: unknown = await store.ready().catch((reason: unknown) => reason)
    if (error instanceof Unavailable && error.cause instanceof ForeignSchema)
      return findingAt('added', {}, `The ${error.part} is not as the portal made it: ${error.cause.message}`)
  }
  return undefined
}

/** A log that was copied from a server has large gaps everywhere: those say nothing. */
const MOST_MISSING = 1_000

export interface ReadLog {
  readonly facts: number
  /** Of the last event. */
  readonly position: string
  /** The position of the newest checkpoint's last event, if there is one. */
  readonly sealedUpTo: string | undefined
}

/**
 * Rows that are no part of the log, and positions of no event. A seal says what is before it, so these are only looked
 * for behind the newest.
 */
export async function strayRows(
  eventStore: Pick<EventStore, 'strays'>,
  { facts, position, sealedUpTo }: ReadLog,
): Promise<Finding | undefined> {
  const after = sealedUpTo === undefined ? start : toPosition(sealedUpTo)
  const found = (await eventStore.strays?.(after)) ?? []
  const outside = found.filter(({ kind }) => kind === 'outside')
  const isDense = Number(position) - facts <= MOST_MISSING
  const [first] = outside.length > 0 ? outside : isDense ? found : []
  if (!first) return undefined
  const kind = first.kind === 'outside' ? 'added' : 'missing'
  return findingAt(kind, {}, `The log is not as it was appended: ${first.says}`)
}
