import type { RecordedEvent } from './event-codec.ts'

/** The number by which people call an event: its position in the log. */
export function eventNumber({ position }: Pick<RecordedEvent, 'position'>): number {
  return Number(position)
}
