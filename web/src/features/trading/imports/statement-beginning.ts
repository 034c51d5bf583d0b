import type { StatementImport } from '#services/trading/imports/import-api.ts'
import { type ImportKind, importFields, ownerFields } from '#services/trading/imports/import-vocabulary.ts'
import type { Mapping } from '#services/trading/imports/mapping-api.ts'
import { columnNames, encodingOf } from '#services/trading/statements/statement-columns.ts'

/** The beginning of a statement has its headings, to map them by. The server reads the file. */

export const noMapping: Mapping = {
  delimiter: ',',
  decimal: null,
  zone: null,
  dates: null,
  server: null,
  columns: {},
}

export interface Beginning {
  /** The line with the headings. */
  readonly header: string
}

const READ = 64 * 1024
const delimiters = [',', ';', '\t', '|'] as const

export async function beginningOf(file: Blob): Promise<Beginning> {
  const bytes = new Uint8Array(await file.slice(0, READ).arrayBuffer())
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
  return { header: text.split(/\r\n|\n|\r/, 1)[0] ?? '' }
}

/** The columns as a mapping names them. */
export function columnsIn({ header }: Beginning, delimiter: string): readonly string[] {
  const cells = header.split(delimiter).map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .replaceAll('""', '"'),
  )
  return [...new Set(columnNames(cells))].filter((cell) => cell !== '')
}

/**
 * The mapping of the newest import of this kind whose columns this file has; else what separates its cells, and the
 * columns of a file that names them as fields.
 */
export function mappingFor(beginning: Beginning, kind: ImportKind, earlier: readonly StatementImport[]): Mapping {
  const fits = ({ mapping: { delimiter, columns } }: StatementImport) => {
    const headings = columnsIn(beginning, delimiter)
    return Object.values(columns)
      .flat()
      .every((heading) => headings.includes(heading))
  }
  const known = earlier.find((one) => one.kind === kind && fits(one))
  if (known) return known.mapping
  const count = (delimiter: string) => columnsIn(beginning, delimiter).length
  const [delimiter] = delimiters.toSorted((one, other) => count(other) - count(one))
  return {
    ...noMapping,
    delimiter: delimiter ?? ',',
    columns: columnsNamedLike(kind, columnsIn(beginning, delimiter ?? ',')),
  }
}

/** A file whose headings are all fields says itself what they hold. Among others a profit may be before commission. */
function columnsNamedLike(kind: ImportKind, headings: readonly string[]): Mapping['columns'] {
  const fields: readonly string[] = [...ownerFields, ...importFields[kind]]
  if (!headings.every((heading) => fields.includes(heading))) return {}
  // A row names its account by the id, or by server and login.
  const hasAccount = headings.includes('account')
  const named = headings.filter((heading) => !hasAccount || (heading !== 'login' && heading !== 'server'))
  return Object.fromEntries(named.map((heading) => [heading, heading]))
}
