import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

/** A table as CSV (RFC 4180) for spreadsheets. */

/** The byte order mark tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** A number written by us: its leading minus sign is no formula. */
const isNumber = /^-?\d+(\.\d+)?$/

/** A cell, quoted where necessary and never a formula that a spreadsheet would evaluate (security checklist 1.2.10). */
export function cell(value: string): string {
  const harmless = /^[=+\-@\t\r\n]/.test(value) && !isNumber.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export function line(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

/** Sends a table page by page as a file. A failure before the first page is answered as an error. */
export async function sendCsv(
  response: Response,
  name: string,
  header: readonly string[],
  pages: AsyncIterator<readonly (readonly string[])[], void>,
): Promise<void> {
  const first = await pages.next()
  response.setHeader('Content-Type', 'text/csv; charset=utf-8')
  response.setHeader('Content-Disposition', `attachment; filename="${name}"`)
  const content = async function* () {
    yield BYTE_ORDER_MARK + line(header)
    for (let page = first; !page.done; page = await pages.next()) yield page.value.map(line).join('')
  }
  try {
    await pipeline(Readable.from(content()), response)
  } catch (error) {
    // The client has disconnected.
    if (!response.destroyed || response.errored) throw error
  }
}
