import type { FirmDay } from '#services/modules/statistics/statistics-api.ts'
import { centsOf } from '@/format/money.ts'

/** Seven days, the last of them today or seven, fourteen … days ago. */
export interface Week {
  /** Its first and last day: '2026-03-08'. */
  readonly from: string
  readonly to: string
  readonly newAccounts: number
  readonly approvedPayouts: number
  readonly approvedCents: number
}

/** Sums up days, the oldest first, to whole weeks that end with the last day. */
export function weeksOf(days: readonly FirmDay[]): readonly Week[] {
  const weeks: Week[] = []
  for (let end = days.length; end >= 7; end -= 7) {
    const week = days.slice(end - 7, end)
    const sum = (valueOf: (day: FirmDay) => number) => week.reduce((total, day) => total + valueOf(day), 0)
    weeks.unshift({
      from: week[0]?.day ?? '',
      to: week.at(-1)?.day ?? '',
      newAccounts: sum((day) => day.newAccounts),
      approvedPayouts: sum((day) => day.approvedPayouts),
      approvedCents: sum((day) => centsOf(day.approvedAmount)),
    })
  }
  return weeks
}
