import { clock, on, type Stage, state, trade, type Written } from '#test-support/rules.ts'

/** Part of a line. Rules that are not listed are not looked at. */
export interface Expected {
  readonly rules?: readonly object[]
  readonly [field: string]: unknown
}

/** A worked example: the terms, what is observed, and what has to come out. Some have several cases. */
export interface Example {
  readonly id: string
  readonly terms: Stage
  readonly when: readonly Written[]
  /** What the last line shows. */
  readonly last?: Expected
  /** What each line shows. */
  readonly each?: readonly Expected[]
  /** Why this maps the example, where that needs a word. */
  readonly because?: string
}

export const example = (
  id: string,
  terms: Stage,
  when: readonly Written[],
  last: Expected,
  because?: string,
): Example => ({
  id,
  terms,
  when,
  last,
  ...(because !== undefined && { because }),
})

/** '250.00' */
export const usd = (amount: number): string => amount.toFixed(2)

/** The state at a close, and the day after. */
export const dayAfter = (balance: number, equity = balance): Written[] => [
  state(on(2), usd(balance), usd(equity)),
  clock(on(3)),
]

/** The profits of the trades of each day, from 2026-11-02 on. A day without a trade only passes. */
export const days = (...profits: readonly (readonly number[])[]): Written[] =>
  profits.flatMap((ofDay, day) =>
    ofDay.length === 0
      ? [clock(on(2 + day))]
      : ofDay.map((profit, index) => trade(on(2 + day, `12:0${index}`), usd(profit), { id: `${day}-${index}` })),
  )

/** A trade each day. */
export const tradeEachDay = (...profits: readonly number[]): Written[] => days(...profits.map((profit) => [profit]))

/** What the rules show, in their order. */
export const shows = (...rules: readonly Readonly<Record<string, unknown>>[]) => ({ rules })
export const floor = (amount: number, more = {}) => ({ floor: usd(amount), ...more })
