import { format } from 'date-fns/format'
import { isValid } from 'date-fns/isValid'
import { parseISO } from 'date-fns/parseISO'

export const dateFormats = {
  /** 2026-03-14: histories of payouts. */
  day: 'yyyy-MM-dd',
  /** Mar 14, 2026: certificates and people. */
  words: 'MMM dd, yyyy',
  /** 14 Mar 14:07: stamps. */
  stamp: 'd MMM HH:mm',
  /** 14 Mar 2026, 14:07:32: tooltips. */
  exact: 'd MMM yyyy, HH:mm:ss',
} as const

export type DateFormat = keyof typeof dateFormats

/** A moment or a day in one of the four ways the product writes them; N/A for what is no date (specification §2). */
export function formatDate(iso: string | null | undefined, how: DateFormat): string {
  const date = iso ? parseISO(iso) : undefined
  return date && isValid(date) ? format(date, dateFormats[how]) : 'N/A'
}
