import type { Recorded } from './event-codec.ts'

/** The number of a fact, by which everybody calls it: its place in the whole log. */
export function numberOf({ position }: Pick<Recorded, 'position'>): number {
  return Number(position)
}
