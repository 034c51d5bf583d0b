import { z } from 'zod'
import { statementRow } from '#services/trading/statements/statement-vocabulary.ts'

const [trade, transfer, day, skipped, fault] = statementRow.options

/**
 * A row of an import, as the command line prints rows. With a mapping a file may not say what was traded, and a day may
 * have no time before the programme's day says it.
 */
export const importedRow = z.discriminatedUnion('row', [
  trade.extend({ symbol: trade.shape.symbol.nullable(), side: trade.shape.side.nullable() }),
  transfer,
  day.extend({ date: day.shape.date.nullable(), at: day.shape.at.nullable() }),
  skipped,
  fault,
])
export type ImportedRow = z.infer<typeof importedRow>
