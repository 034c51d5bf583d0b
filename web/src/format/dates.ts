import { isValid } from 'date-fns/isValid'
import { lightFormat } from 'date-fns/lightFormat'
import { parseISO } from 'date-fns/parseISO'

export const dateFormats = {
  /** 2026-03-14: histories of payouts. */
  day: 'yyyy-MM-dd',
  /** Mar 14, 2026: certificates and people. */
  words: 'MMM dd, yyyy',
  /** 14 Mar: axes. */
  short: 'd MMM',
  /** 14 Mar 14:07: stamps. */
  stamp: 'd MMM HH:mm',
  /** 14 Mar 2026, 14:07:32: tooltips. */
  exact: 'd MMM yyyy, HH:mm:ss',
} as const

export type DateFormat = keyof typeof dateFormats

/** The product is in English only; date-fns's locale would triple the size of this module. */
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Formats a moment or a day; N/A for an invalid date (specification §2). */
export function formatDate(date: string | Date | null | undefined, how: DateFormat): string {
  const moment = typeof date === 'string' ? parseISO(date) : date
  return moment && isValid(moment) ? lightFormat(moment, dateFormats[how].replace('MMM', `'${months[moment.getMonth()]}'`)) : 'N/A'
}
