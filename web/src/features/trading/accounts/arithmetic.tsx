import type { ArithmeticLine } from '#services/trading/accounts/standing-api.ts'
import { formatMoney } from '@/format/money.ts'
import { DateText } from '@/ui/text.tsx'
import { EventLink } from './event-link.tsx'

interface ArithmeticProps {
  readonly lines: readonly ArithmeticLine[]
  /** The trader of whom staff look at it. */
  readonly of?: string
}

/** The amounts behind a breach, which a person can add up; of a pass each goal. */
export function Arithmetic({ lines, of }: ArithmeticProps) {
  if (lines.length === 0) return null
  return (
    <table className="w-full text-13">
      <caption className="sr-only">How it was computed</caption>
      <tbody>
        {lines.map(({ role, what, at, amount, event }, index) => (
          <tr
            key={index}
            className={role === 'sum' || role === 'difference' ? 'border-t border-line font-medium' : 'font-normal'}
          >
            <th scope="row" className="py-0.5 pr-3 text-left [font-weight:inherit] wrap-anywhere">
              {what}
              {at !== null && (
                <span className="text-muted">
                  {', '}
                  <DateText at={at} how="exact" />
                </span>
              )}{' '}
              {event !== null && <EventLink number={event} of={of} />}
            </th>
            {amount !== null && <td className="py-0.5 text-right whitespace-nowrap">{formatMoney(amount)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
