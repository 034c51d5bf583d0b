/**
 * The entries in a file of news: JSON lines or a list, as `proofdesk rules evaluate --calendar` reads them, or the weekly
 * file of Forex Factory (https://nfs.faireconomy.media/ff_calendar_thisweek.json: title, country, date, impact).
 */

export interface CalendarFile {
  readonly entries: readonly unknown[]
  /** A sentence; null for a file that can be read. */
  readonly fault: string | null
}

/** @param text of the file. The server checks each entry. */
export function entriesIn(text: string): CalendarFile {
  const clean = text.replace(/^\ufeff/, '').trim()
  if (clean === '') return refused('This file is empty')
  if (clean.startsWith('[')) {
    const list = parsed(clean)
    return Array.isArray(list) ? read(list) : refused('This file is no list that can be read as JSON')
  }
  const lines = clean.split(/\r?\n/).filter((line) => line.trim() !== '')
  const entries: unknown[] = []
  for (const [n, line] of lines.entries()) {
    const entry = parsed(line)
    if (!isObject(entry)) return refused(`Line ${n + 1} of this file is no JSON object`)
    entries.push(entry)
  }
  return read(entries)
}

function read(list: readonly unknown[]): CalendarFile {
  return { entries: list.map(entryOf), fault: null }
}

function refused(fault: string): CalendarFile {
  return { entries: [], fault }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Fields = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function entryOf(value: unknown): unknown {
  if (!isObject(value)) return value
  if ('country' in value && 'date' in value) {
    const { title, country, date, impact } = value
    return { at: date, currency: country, impact: typeof impact === 'string' ? impact.toLowerCase() : impact, title }
  }
  // The portal says itself when it publishes something, and withdraws by another call.
  const { publishedAt: _publishedAt, ...entry } = value
  return entry
}
