import { z } from 'zod'
import type { StoredEvent } from '#infra/event-store/event-store.ts'

/** Something wrong with a log. It is plain data, so it can be kept. */
export const finding = z.object({
  kind: z.enum(['altered', 'missing', 'added', 'reordered', 'seal']),
  /** The position in the log, if it can be named. */
  number: z.string().nullable(),
  /** The stream of the event and its revision there, if they can be named. */
  stream: z.string().nullable(),
  revision: z.int().nonnegative().nullable(),
  /** A message for people: which event, and how that is known. */
  says: z.string(),
})
export type Finding = Readonly<z.infer<typeof finding>>

/** Where a finding is; what is unknown is left out. */
type FindingPlace = Partial<Pick<Finding, 'number' | 'stream' | 'revision'>>

export function findingAt(kind: Finding['kind'], place: FindingPlace, says: string): Finding {
  const { number = null, stream = null, revision = null } = place
  return { kind, number, stream, revision, says }
}

/** A finding at an event that is there. */
export function findingOf(
  kind: Finding['kind'],
  { position, stream, revision }: Pick<StoredEvent, 'position' | 'stream' | 'revision'>,
  says: string,
): Finding {
  return findingAt(kind, { number: position, stream, revision }, says)
}

/** Stops the verification with a finding. */
export class FindingError extends Error {
  constructor(readonly finding: Finding) {
    super(finding.says)
  }
}

/** Reads what may be damaged. @throws {FindingError} in place of any other error. */
export function readOr<Read>(unreadable: Finding, read: () => Read): Read {
  try {
    return read()
  } catch {
    throw new FindingError(unreadable)
  }
}

/** 'Event 1042 (ProfileChanged, user-ada#3)' */
export function nameOfEvent({ position, type, stream, revision }: StoredEvent): string {
  return `Event ${position} (${type}, ${stream}#${revision})`
}
