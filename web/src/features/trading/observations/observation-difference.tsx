import { formatDate } from '@/format/dates.ts'
import { observationFields, type ObservationFieldName } from './observation-fields.ts'

interface ObservationDifferenceProps {
  /** As the account has it; null where it is gone or not recorded yet. */
  readonly known: Readonly<Record<string, unknown>> | null
  readonly told: Readonly<Record<string, unknown>>
}

/** What is known beside what is told, field by field. What differs is marked, by a word too. */
export function ObservationDifference({ known, told }: ObservationDifferenceProps) {
  const fields = observationFields.filter(
    ({ name }) => textIn(known, name) !== '' || (textIn(told, name) !== '' && name !== 'id'),
  )
  return (
    <table className="w-full text-13">
      <thead>
        <tr className="text-left text-muted">
          <th className="py-1 pr-3 font-medium">Field</th>
          <th className="py-1 pr-3 font-medium">Known</th>
          <th className="py-1 pr-3 font-medium">New</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, label }) => {
          const [before, now] = [textIn(known, name), textIn(told, name)]
          const differs = now !== '' && !isSame(before, now)
          return (
            <tr key={name} className={differs ? 'font-semibold' : 'text-muted'}>
              <th scope="row" className="py-1 pr-3 text-left font-medium">
                {label}
                {differs && <span className="sr-only"> differs</span>}
              </th>
              <td className="py-1 pr-3 [overflow-wrap:anywhere]">{shown(before, now)}</td>
              <td className="py-1 pr-3 [overflow-wrap:anywhere]">{shown(now, before)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function textIn(fields: Readonly<Record<string, unknown>> | null, name: ObservationFieldName): string {
  const value = fields?.[name]
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** An instant is written as on all pages, unless it differs from the other one by less than that shows. */
function shown(text: string, other: string): string {
  if (text === '') return '–'
  if (!isInstant(text)) return text
  const words = formatDate(text, 'exact')
  return !isSame(text, other) && isInstant(other) && words === formatDate(other, 'exact') ? text : words
}

function isInstant(text: string): boolean {
  return /^\d{4}-.*T/.test(text)
}

/** Numbers are compared as numbers, times as instants. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true
  const isNumber = /^-?\d+(\.\d+)?$/
  if (isNumber.test(one) && isNumber.test(other)) return Number(one) === Number(other)
  return isInstant(one) && Date.parse(one) === Date.parse(other)
}
