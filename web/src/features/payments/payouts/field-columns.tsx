import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { shownFields, tableFields } from '#services/trading/stream/payout-fields.ts'
import { formatMoney } from '@/format/money.ts'
import type { Column } from '@/ui/data-table.tsx'
import { DateText } from '@/ui/text.tsx'

/** A column as the table of fields describes it. */
export function fieldColumn(name: keyof typeof shownFields): Column<ListedPayout> {
  const { label: header, kind, words, unset = '' } = shownFields[name]
  const cell = (payout: ListedPayout) => {
    const value = payout[name]
    if (value === null) return unset
    if (kind === 'time' || kind === 'day') return <DateText at={String(value)} how="day" />
    return kind === 'money' ? formatMoney(String(value)) : (words?.[String(value)] ?? String(value))
  }
  return { header, ...(kind === 'money' && { align: 'right' }), cell }
}

/** The columns that the trader's history and the administrators' tables have beside their own. */
export const fieldColumns = tableFields.map(fieldColumn)
