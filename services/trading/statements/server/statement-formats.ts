import type { StatementFormat } from './statement-format.ts'
import { ctrader } from './formats/ctrader.ts'
import { dxtrade } from './formats/dxtrade.ts'
import { exness } from './formats/exness.ts'
import { ftmo } from './formats/ftmo.ts'
import { managerDaily } from './formats/mt5-manager-daily.ts'
import { managerDeals } from './formats/mt5-manager-deals.ts'
import { managerPositions } from './formats/mt5-manager-positions.ts'
import { matchTrader } from './formats/match-trader.ts'
import { mt4Statement } from './formats/mt4-statement.ts'
import { mt5Report } from './formats/mt5-report.ts'
import { ninjatraderTrades } from './formats/ninjatrader-trades.ts'
import { topstepx } from './formats/topstepx.ts'
import { tradovatePerformance, tradovatePositions } from './formats/tradovate.ts'

/** All formats. */
export const formats: readonly StatementFormat[] = [
  mt4Statement,
  mt5Report,
  managerPositions,
  managerDaily,
  managerDeals,
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
