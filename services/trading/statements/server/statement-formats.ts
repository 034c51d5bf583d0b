import type { StatementFormat } from './statement-format.ts'
import { ctrader } from './formats/ctrader.ts'
import { dxtrade } from './formats/dxtrade.ts'
import { exness } from './formats/exness.ts'
import { ftmo } from './formats/ftmo.ts'
import { matchTrader } from './formats/match-trader.ts'
import { ninjatraderTrades } from './formats/ninjatrader-trades.ts'
import { topstepx } from './formats/topstepx.ts'
import { tradovatePerformance, tradovatePositions } from './formats/tradovate.ts'

/** All formats. */
export const formats: readonly StatementFormat[] = [
  ftmo,
  exness,
  ctrader,
  topstepx,
  tradovatePositions,
  tradovatePerformance,
  ninjatraderTrades,
  matchTrader,
  dxtrade,
]
