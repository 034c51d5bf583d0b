import { toDecimal } from '#services/money/money.ts'
import type { Line, RuleLine } from './engine.ts'
import { down, up } from './exact.ts'
import { dateOf } from './trading-day.ts'

/** A line as `rules evaluate` prints it: "a decimal string outside." (rules.md) */
export function printed({ at, day, balance, equity, status, rules, nearest, cause, payout }: Line) {
  return {
    at,
    day: dateOf(day),
    balance: toDecimal(balance),
    equity: toDecimal(equity),
    status,
    rules: rules.map(printedRule),
    nearest,
    cause: cause && {
      kind: cause.kind,
      floor: cause.floor === null ? null : toDecimal(cause.floor),
      measured: cause.measured === null ? null : toDecimal(cause.measured),
      at: cause.at,
      observation: cause.observation,
    },
    payout: payout && {
      profit: toDecimal(payout.profit),
      available: toDecimal(payout.available),
      split: payout.split,
      traderReceives: toDecimal(payout.traderReceives),
      from: payout.from === null ? null : dateOf(payout.from),
      missing: payout.missing,
    },
  }
}
export type PrintedLine = ReturnType<typeof printed>

/** The figures that its kind has, in the order of rules.md. Floors and targets are rounded up, rooms down. */
export function printedRule(line: RuleLine) {
  return {
    kind: line.kind,
    ...(line.target !== undefined && { target: line.target }),
    ...(line.missing !== undefined && { missing: line.missing }),
    ...(line.floor && { floor: toDecimal(up(line.floor)) }),
    ...(line.room && { room: toDecimal(down(line.room)) }),
    ...(line.locked !== undefined && { locked: line.locked }),
    ...(line.days !== undefined && { days: line.days }),
    ...(line.best !== undefined && { best: toDecimal(line.best) }),
    ...(line.profit !== undefined && { profit: toDecimal(line.profit) }),
    ...(line.share !== undefined && { share: line.share }),
    ...(line.needed !== undefined && { needed: line.needed }),
    ...(line.excluded !== undefined && { excluded: toDecimal(line.excluded) }),
    state: line.state,
  }
}
