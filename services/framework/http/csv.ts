import type { Response } from 'express'
import { sendDownload } from './send-download.ts'

/** A table as CSV (RFC 4180) for spreadsheets. */

/** The byte order mark tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** A number written by us: its leading minus sign is no formula. */
const isNumber = /^-?\d+(\.\d+)?$/

/** How a formula begins, also written in full width; spreadsheets skip a NUL before it. */
const formula = /^[=+\-@＝＋－＠\t\r\n\0]/

/** The same after a semicolon or a tab, where a spreadsheet set to such a separator begins a cell. */
const formulaInside = /([;\t]\s*)(?=[=+@＝＋－＠\0]|-(?!\d+(?:\.\d+)?\s*(?:[;\t]|$)))/g

/** A cell, quoted where necessary and never a formula that a spreadsheet would evaluate (ASVS 1.2.10). */
export function cell(value: string): string {
  const harmless = (formula.test(value) && !isNumber.test(value) ? `'${value}` : value).replaceAll(formulaInside, "$1'")
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
  const content = async function* () {
    let before = BYTE_ORDER_MARK + line(header)
    for (let page = await pages.next(); !page.done; page = await pages.next()) {
      yield before + page.value.map(line).join('')
      before = ''
    }
    yield before
  }
  await sendDownload(response, { name, type: 'text/csv; charset=utf-8' }, content())
}
