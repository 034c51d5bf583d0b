import { z } from 'zod'
import { codePointName, unseenCharacter } from '#services/framework/api/unseen-characters.ts'
import { isZone } from '#services/rules/zone.ts'
import { statementZone } from '#services/trading/statements/statement-zone-vocabulary.ts'
import {
  type ImportField,
  importFields,
  type MappedKind,
  optionalFields,
  ownerFields,
  summedFields,
} from './import-vocabulary.ts'
import { patternFault } from './time-pattern-vocabulary.ts'

/** How the columns of a statement are to be read. */

const header = z
  .string('expected the heading of a column')
  .min(1, 'expected the heading of a column')
  .max(200, 'expected at most 200 characters')
  .superRefine((text, context) => {
    const unseen = unseenCharacter(text)
    if (unseen !== undefined)
      context.addIssue({ code: 'custom', message: `expected no invisible character (${codePointName(unseen)})` })
  })

const columns = z.record(
  z.string(),
  z.union([header, z.array(header).min(1).max(10)], { error: 'expected the heading of a column, or a list of them' }),
)

export const mapping = z.strictObject(
  {
    delimiter: z.enum([',', ';', '\t', '|'], { error: 'expected "," or ";" or "|" or a tab' }),
    decimal: z.enum(['.', ','], { error: 'expected "." or ","' }).nullable().default(null),
    zone: z
      .string('expected a time zone')
      .superRefine((text, context) => {
        const read = statementZone(text)
        // 0.2.0 recorded names without a slash, too.
        if (typeof read === 'string' && !isZone(text)) context.addIssue({ code: 'custom', message: read })
      })
      .nullable()
      .default(null),
    dates: z
      .string('expected a pattern of times')
      .max(40, 'expected at most 40 characters')
      .superRefine((pattern, context) => {
        const fault = patternFault(pattern)
        if (fault !== null) context.addIssue({ code: 'custom', message: `${fault}, like "YYYY.MM.DD HH:mm:ss"` })
      })
      .nullable()
      .default(null),
    /** The server of all rows, where the file has no column for it. */
    server: header.nullable().default(null),
    columns,
  },
  'expected a mapping',
)
export type Mapping = z.infer<typeof mapping>

/** Returns the faults of a mapping for a file of a kind, by their places; none where all is well. */
export function mappingFaults(
  { zone, dates, server, columns: mapped }: Mapping,
  kind: MappedKind,
  isOfOneAccount: boolean,
): ReadonlyMap<string, string> {
  const faults = new Map<string, string>()
  const known: readonly string[] = [...importFields[kind], ...ownerFields]
  for (const [field, headings] of Object.entries(mapped)) {
    if (!known.includes(field)) faults.set(`columns.${field}`, 'expected no such field')
    else if (Array.isArray(headings) && !summedFields.some((one) => one === field))
      faults.set(`columns.${field}`, 'expected one column: only amounts are summed')
  }
  const read = zone === null ? null : statementZone(zone)
  if (typeof read === 'string') faults.set('zone', read)
  const has = (field: ImportField) => Object.hasOwn(mapped, field)
  for (const field of importFields[kind])
    if (!has(field) && !optionalFields.includes(field)) faults.set(`columns.${field}`, 'expected a column')
  if (kind === 'trades' && !has('at')) faults.set('columns.at', 'expected a column')
  const names = has('account') || (has('login') && (has('server') || Boolean(server)))
  if (isOfOneAccount && (has('account') || has('login') || has('server')))
    faults.set('columns', 'expected no columns for the account: all rows are of one')
  if (!isOfOneAccount && (!names || (has('account') && (has('login') || has('server')))))
    faults.set(
      'columns',
      'Please say whose rows these are: one account for all, a column "account", or columns "login" and "server"',
    )
  if (dates && /HH/.test(dates) && !zone) faults.set('zone', 'expected the time zone of the local times')
  return faults
}
