import type { RecordedEvent } from './event-codec.ts'

/** The number of a fact, by which everybody calls it: its place in the whole log. */
export function eventNumber({ position }: Pick<RecordedEvent, 'position'>): number {
  return Number(position)
}
