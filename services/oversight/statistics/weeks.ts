import type { FirmDayDocument } from './firm-day-read-model.ts'

type Day = FirmDayDocument & { readonly day: string }

/** Seven days: its first and its last, and what they brought. Cents. */
export interface Week extends FirmDayDocument {
  readonly from: string
  readonly to: string
}

/** Sums up days, the oldest first, to whole weeks that end with the last day. */
export function weeksOf(days: readonly Day[]): readonly Week[] {
  const weeks: Week[] = []
  for (let end = days.length; end >= 7; end -= 7) {
    const week = days.slice(end - 7, end)
    weeks.unshift({ from: week[0]?.day ?? '', to: week.at(-1)?.day ?? '', ...sumOfDays(week) })
  }
  return weeks
}

/** Adds up the figures of days. */
export function sumOfDays(days: readonly FirmDayDocument[]): FirmDayDocument {
  const sum = (valueOf: (day: FirmDayDocument) => number) => days.reduce((total, day) => total + valueOf(day), 0)
  return {
    newAccounts: sum((day) => day.newAccounts),
    approvedPayouts: sum((day) => day.approvedPayouts),
    approvedAmount: sum((day) => day.approvedAmount),
  }
}
