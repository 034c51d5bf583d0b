import type { AnyEvent } from '#services/portal/subjects.ts'
import {
  projectionsOf,
  type RecordedEventOf as RecordedEventOfAny,
} from '#services/event-sourcing/read-models/projection.ts'

/** Defines a projection of the firm's events. */
export const defineProjection = projectionsOf<AnyEvent>()

/** A recorded event of the firm, of one type or of any of several. */
export type RecordedEventOf<Type extends AnyEvent['type']> = RecordedEventOfAny<AnyEvent, Type>
