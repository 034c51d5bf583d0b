import { quantile } from '../test-support/quantile.ts'

/** The middle value; the mean of the middle two where there is none. */
export function median(values: readonly number[]): number {
  return (
    (quantile(values, 0.5) +
      quantile(
        values.map((value) => -value),
        0.5,
      ) *
        -1) /
    2
  )
}

/**
 * Measures several sides in turn, A B C, then C B A, so that whatever else the machine does, or how it slows down,
 * meets all alike. Answers each side's values, one a round.
 */
export async function inTurn<const Side extends string, Value>(
  rounds: number,
  sides: readonly Side[],
  measure: (side: Side, round: number) => Promise<Value>,
): Promise<ReadonlyMap<Side, readonly Value[]>> {
  const values = new Map<Side, Value[]>(sides.map((side) => [side, []]))
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) values.get(side)?.push(await measure(side, round))
  }
  return values
}

/** The median of the ratios of two sides, round by round, with the least and the greatest. */
export interface Ratio {
  readonly median: number
  readonly text: string
}

export function ratio(ours: readonly number[], floor: readonly number[]): Ratio {
  const ratios = ours.map((value, round) => value / (floor[round] ?? Number.NaN))
  const middle = median(ratios)
  return { median: middle, text: `${middle.toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})` }
}

/** '12,345' */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
