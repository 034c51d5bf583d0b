import type { Operation } from './history.ts'

/** The made-up firm's days, in UTC, and what happens on them. */

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The beginning of a moment's day. */
export function midnight(moment: number): number {
  return moment - (((moment % DAY) + DAY) % DAY)
}

export function isWorkday(moment: number): boolean {
  const day = new Date(moment).getUTCDay()
  return day >= 1 && day <= 5
}

/** The first moment from here on when someone is at a desk: on workdays from eight to five. */
export function atDesk(moment: number): number {
  const opens = midnight(moment) + 8 * HOUR
  const closes = midnight(moment) + 17 * HOUR
  if (!isWorkday(moment) || moment >= closes) return atDesk(midnight(moment) + DAY + 8 * HOUR + (moment % (4 * HOUR)))
  return Math.max(moment, opens + (moment % HOUR))
}

/** What someone does, in the order of time: a number waits until that moment. */
export type Story = Generator<Operation | number, void>

export type Agenda = ReturnType<typeof createAgenda>

/** Stories that happen at the same time. Each may begin others, at its own moment or later. */
export function createAgenda() {
  const waiting: { readonly at: number; readonly story: Story; readonly ends: number }[] = []
  /** Nothing of the story happens after `ends`. Of the same moment, the first that was added comes first. */
  const add = (at: number, story: Story, ends = Infinity): void => {
    if (at <= ends) waiting.splice(waiting.findLastIndex((other) => other.at <= at) + 1, 0, { at, story, ends })
  }
  return {
    add,
    /** What happens up to a moment. Each operation is performed before the next is asked for. */
    *until(moment: number): Iterable<Operation> {
      for (let next = waiting[0]; next && next.at <= moment; next = waiting[0]) {
        waiting.shift()
        for (;;) {
          const { done, value } = next.story.next()
          if (done) break
          if (typeof value === 'number') {
            add(value, next.story, next.ends)
            break
          }
          yield value
        }
      }
    },
  }
}
