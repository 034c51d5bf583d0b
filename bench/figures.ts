import { quantile } from '#test-support/quantile.ts'

/** One line of the table. */
export interface Figure {
  readonly what: string
  readonly value: string
  readonly goal?: { readonly text: string; readonly met: boolean }
}

export interface Settings {
  /** How many users the lists hold, and how many events are projected. */
  readonly users: number
  readonly events: number
  /** The earlier commit to compare with. */
  readonly commit?: string
  /** Shows progress. */
  say(line: string): void
}

/** One question about speed, in a file of its own. */
export interface Subject {
  readonly name: string
  readonly about: string
  measure(settings: Settings): Promise<readonly Figure[]>
}

/** A figure with a goal that it must reach. */
export function atLeast(what: string, least: number, { median: seen, text }: Ratio, details = ''): Figure {
  return { what, value: `${text}${details && `, ${details}`}`, goal: { text: `≥ ${least}`, met: seen >= least } }
}

/** A figure with a goal that it must stay below. */
export function below(what: string, limit: number, seen: number, unit: string, details = ''): Figure {
  const value = [`${seen.toFixed(seen < 10 ? 2 : 1)} ${unit}`.trim(), ...(details ? [details] : [])].join(', ')
  return { what, value, goal: { text: `< ${limit} ${unit}`.trim(), met: seen < limit } }
}

/** The 95th percentile of times with the ms that it must stay below. */
export function p95(what: string, limit: number, times: readonly number[], details = percentiles(times, 0.5, 0.99)) {
  return below(`${what}, p95`, limit, quantile(times, 0.95), 'ms', details)
}

/** What one side does in a second, to another; both are measured by turns. */
export function rates<Side extends string>(
  what: string,
  least: number,
  seen: (side: Side) => readonly number[],
  ours: NoInfer<Side>,
  others: NoInfer<Side>,
): Figure {
  const both = [ours, others].map((side) => whole(median(seen(side)))).join(' and ')
  return atLeast(what, least, ratio(seen(ours), seen(others)), `${both} a second`)
}

export function table({ name, about }: Subject, figures: readonly Figure[]): string {
  const rows = figures.map(
    ({ what, value, goal }) => [what, goal ? `${goal.met ? 'pass' : 'MISS'}  ${goal.text}` : '', value] as const,
  )
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length))
  const lines = rows.map(([what, goal, value]) => `  ${what.padEnd(width(0))}  ${goal.padEnd(width(1))}  ${value}`)
  return `\n${name}: ${about}\n${lines.join('\n')}\n`
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** 'p50 1.2 ms, p95 3.4 ms' */
export function percentiles(times: readonly number[], ...shares: readonly number[]): string {
  return shares.map((share) => `p${share * 100} ${quantile(times, share).toFixed(1)} ms`).join(', ')
}

/** The median of the ratios of two sides, round by round, with the least and the greatest. */
interface Ratio {
  readonly median: number
  readonly text: string
}

export function ratio(ours: readonly number[], others: readonly number[]): Ratio {
  const ratios = ours.map((value, round) => value / (others[round] ?? Number.NaN))
  return {
    median: median(ratios),
    text: `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
  }
}

/**
 * Measures several sides by turns, A B C, then C B A, so that other work on the machine meets all alike. The returned
 * function gives the values of a side, one a round.
 */
export async function byTurns<const Side extends string>(
  rounds: number,
  sides: readonly Side[],
  measure: (side: Side) => Promise<number>,
): Promise<(side: Side) => readonly number[]> {
  const values = new Map(sides.map((side): [Side, number[]] => [side, []]))
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) values.get(side)?.push(await measure(side))
  return (side) => values.get(side) ?? []
}

/** '12,345' */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
