import { columnNames } from '../statement-columns.ts'
import type { Columns } from './row-cells.ts'

/** A heading, or several that platforms write for one field. One that comes twice is numbered: `Price (2)`. */
type Headings<Field extends string> = Readonly<Record<Field, string | readonly string[]>>

/**
 * Where the fields stand by these headings, without regard to case and spaces; null where one is missing. The optional
 * ones may be, but not be misspelt: without its column, a cost would silently be missing in each row.
 */
export function columnsOf<Field extends string, Optional extends string = never>(
  cells: readonly string[],
  required: Headings<Field>,
  optional?: Headings<Optional>,
): Columns<Field | Optional> | null {
  const names = columnNames(cells.map(normal))
  const columns: Partial<Record<Field | Optional, number>> = {}
  const place = (field: Field | Optional, headings: string | readonly string[]): boolean => {
    const found = [headings].flat().map((heading) => names.indexOf(normal(heading)))
    const index = found.find((each) => each !== -1)
    if (index !== undefined) columns[field] = index
    return index !== undefined
  }
  for (const field of fieldsOf(required)) if (!place(field, required[field])) return null
  if (!optional) return columns
  for (const field of fieldsOf(optional)) {
    const headings = [optional[field]].flat().map(normal)
    if (!place(field, headings) && names.some((name) => headings.some((heading) => isMisspelt(name, heading))))
      return null
  }
  return columns
}

/** Whether one character is another one, missing or too many. */
function isMisspelt(name: string, heading: string): boolean {
  const shorter = Math.min(name.length, heading.length)
  let start = 0
  while (start < shorter && name[start] === heading[start]) start += 1
  let end = 0
  while (end < shorter - start && name.at(-1 - end) === heading.at(-1 - end)) end += 1
  return Math.max(name.length, heading.length) - start - end === 1
}

function fieldsOf<Field extends string>(headings: Headings<Field>): Field[] {
  const fields: Field[] = []
  for (const field in headings) fields.push(field)
  return fields
}

function normal(heading: string): string {
  return heading.replaceAll('"', '').trim().replaceAll(/\s+/g, ' ').toLowerCase()
}
