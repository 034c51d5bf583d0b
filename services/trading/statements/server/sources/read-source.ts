import { unreadableFile } from '../unreadable-statement.ts'
import { csvSource } from './csv-source.ts'
import { decodedText } from './decoded-text.ts'
import { htmlSource } from './html-source.ts'
import type { Source } from './source.ts'
import { xlsxSource } from './xlsx-source.ts'

const WORKBOOK = [0x50, 0x4b]
const OLD_WORKBOOK = [0xd0, 0xcf, 0x11, 0xe0]

/**
 * Makes rows of cells of a file, by what it begins with.
 *
 * @throws {UnreadableStatement} {@link LargeStatement}
 */
export function sourceOf(bytes: Uint8Array): Source {
  if (beginsWith(bytes, OLD_WORKBOOK))
    throw unreadableFile('This is an old workbook (.xls): please save it as XLSX, or export the statement as XLSX.')
  if (beginsWith(bytes, WORKBOOK)) return xlsxSource(bytes)
  const { text, encoding } = decodedText(bytes)
  return /^\s*</.test(text) ? htmlSource(text, encoding) : csvSource(text, encoding)
}

function beginsWith(bytes: Uint8Array, beginning: readonly number[]): boolean {
  return beginning.every((byte, index) => bytes[index] === byte)
}
