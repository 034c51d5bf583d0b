import { faultsOf } from '#services/framework/api/faults.ts'
import type { Rules } from '#services/rules/engine.ts'
import type { Observation } from '#services/rules/observation.ts'
import { dateOf } from '#services/rules/day-terms.ts'
import { sentObservation } from '#services/trading/observations/observation-api.ts'
import type { ImportedRow } from '../statement-row-api.ts'
import type { SourceRow } from './statement-source.ts'

const DAY = 86_400_000

/** The observation that a row of a statement is, under the rules of its account; the reason where it is none. */
export function observationOf(
  { row, dayOf }: SourceRow,
  rules: Rules,
): { readonly observation: Observation } | { readonly reason: string } {
  const { data, error } = sentObservation.safeParse(written(row, dayOf, rules))
  if (data) return { observation: data }
  const [[place, message] = ['', 'expected another row']] = faultsOf(error)
  return { reason: place === '' ? message : `${place}: ${message}` }
}

function written(row: ImportedRow, dayOf: string | undefined, rules: Rules): object {
  switch (row.row) {
    case 'trade': {
      const { line: _line, row: kind, login: _login, openPrice, closePrice, ...trade } = row
      // "A price not above 0 is left out": so has every platform where it knows none.
      const prices = { openPrice: priceIn(openPrice), closePrice: priceIn(closePrice) }
      return withoutAbsent({ kind, ...trade, ...prices })
    }
    case 'transfer': {
      const { line: _line, row: kind, login: _login, ...transfer } = row
      return { kind, ...transfer }
    }
    case 'day': {
      const { balance, equity, lowestEquity, highestEquity, trades } = row
      const day = dayUnder(rules, row, dayOf)
      // "A day without a low becomes a state."
      if (lowestEquity === null || highestEquity === null || trades === null)
        return { kind: 'state', at: day.at, balance, equity, open: equity !== balance }
      return { kind: 'day', ...day, balance, equity, lowestEquity, highestEquity, trades }
    }
    case 'skipped':
    case 'fault':
      return {}
  }
}

/** "A day without time lies in its last second." The days are those of the programme. */
function dayUnder({ days }: Rules, { date, at }: Extract<ImportedRow, { row: 'day' }>, dayOf: string | undefined) {
  if (dayOf !== undefined) return { date: dateOf(days.dayOf(Date.parse(dayOf))), at: at ?? dayOf }
  const lastSecond = () => new Date(days.startOf(Date.parse(date ?? '') / DAY + 1) - 1000).toISOString()
  return { date, at: at ?? lastSecond() }
}

function priceIn(price: string | null): string | null {
  return price !== null && /^\d/.test(price) && /[1-9]/.test(price) ? price : null
}

function withoutAbsent(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
