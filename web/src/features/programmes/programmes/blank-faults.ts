import { amount, percentage } from '#services/rules/amount.ts'
import type { Blank } from '#services/rules/sentences.ts'
import { valueAt } from '#services/rules/sentences.ts'

/** What is to be written in a blank that has a fault, as a sentence for people. */
export function faultInWords(blank: Blank, value: unknown): string {
  switch (blank.kind) {
    case 'choice':
      return 'Please choose one.'
    case 'amount':
      if (valueAt(value, 'amount') !== undefined) return 'Write an amount in dollars, like 2,000 or 49.50.'
      return valueAt(value, 'of') === 'high' && isPercent(value)
        ? 'A fixed floor follows no highest value: take the account size.'
        : 'Write a percentage, like 5 or 2.5.'
    case 'count':
      if (blank.most !== undefined)
        return `Write a whole number of ${blank.one}s from ${blank.least} to ${blank.most.toLocaleString('en-US')}.`
      return `Write a whole number of ${blank.one}s${blank.least === 1 ? ', at least 1' : ''}.`
    case 'percent':
      return percentage.safeParse(value).success
        ? 'Write a percentage above 0.'
        : 'Write a percentage from 0 to 100, like 2.5.'
    case 'time':
      return 'Write a time of day, like 00:00 or 17:00.'
    case 'zone':
      return 'Choose a time zone by its name, like Europe/Prague.'
    case 'volume':
      return 'Write a volume, like 10 or 0.50.'
    case 'names':
      return 'Write symbols like EURUSD, or their beginnings like XAU*, with commas between them.'
    case 'several':
      return 'Choose at least one.'
    case 'splits':
      return 'Write shares and numbers of payouts.'
  }
}

function isPercent(value: unknown): boolean {
  return amount.safeParse({ percent: valueAt(value, 'percent'), of: 'account-size' }).success
}
