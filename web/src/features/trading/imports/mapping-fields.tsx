import { useState } from 'react'
import type { StatementImport, UnreadStatement } from '#services/trading/imports/import-api.ts'
import {
  importFieldLabels,
  type ImportField,
  importFields,
  isImportField,
  type MappedKind,
  optionalFields,
  ownerFields,
  summedFields,
} from '#services/trading/imports/import-vocabulary.ts'
import type { Mapping } from '#services/trading/imports/mapping-api.ts'
import { FormSection } from '@/form/form-dialog.tsx'
import { Select, TextInput } from '@/ui/field.tsx'

/** The fields that say what the columns of a file hold, where no format fits it. */

export const noMapping: Mapping = {
  delimiter: ',',
  decimal: null,
  zone: null,
  dates: null,
  server: null,
  columns: {},
}

const decimals = [
  { value: '', label: 'As the file shows' },
  { value: '.', label: '1,234.5' },
  { value: ',', label: '1.234,5' },
] as const

interface MappingFieldsProps {
  readonly kind: MappedKind
  readonly isOfOneAccount: boolean
  readonly headings: readonly string[]
  readonly mapping: Mapping
  readonly errors: Readonly<Record<string, string>>
  readonly onChange: (mapping: Mapping) => void
}

export function MappingFields({ kind, isOfOneAccount, headings, mapping, errors, onChange }: MappingFieldsProps) {
  const set = (changes: Partial<Mapping>) => onChange({ ...mapping, ...changes })
  const setColumn = (field: ImportField, chosen: readonly string[]) => {
    const { [field]: _before, ...others } = mapping.columns
    const [first, ...more] = chosen
    if (first === undefined) return set({ columns: others })
    set({ columns: { ...others, [field]: more.length > 0 ? [first, ...more] : first } })
  }
  const owners = isOfOneAccount ? [] : ownerFields
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        <Select
          label="Amounts are written"
          options={decimals}
          value={mapping.decimal ?? ''}
          error={errors['mapping.decimal']}
          onChange={({ target }) =>
            set({ decimal: target.value === '.' || target.value === ',' ? target.value : null })
          }
        />
        <TextInput
          label="Times are written"
          hint="Such as YYYY.MM.DD HH:mm:ss; empty for 2026-11-02T09:30:00Z"
          autoComplete="off"
          value={mapping.dates ?? ''}
          error={errors['mapping.dates']}
          onChange={({ target }) => set({ dates: target.value || null })}
        />
        <TextInput
          label="Time zone of the platform"
          hint="Such as Europe/Prague; many MetaTrader brokers use America/New_York+7"
          autoComplete="off"
          value={mapping.zone ?? ''}
          error={errors['mapping.zone']}
          onChange={({ target }) => set({ zone: target.value.trim() || null })}
        />
        {owners.length > 0 && (
          <TextInput
            label="Server"
            hint="If the file has no column for it"
            autoComplete="off"
            value={mapping.server ?? ''}
            error={errors['mapping.server']}
            onChange={({ target }) => set({ server: target.value.trim() || null })}
          />
        )}
      </div>
      <FormSection title="Columns">
        <p className="mb-4 text-13 text-muted">No format fits this file: say which of its columns holds what.</p>
        <div className="grid gap-5 sm:grid-cols-2">
          {[...owners, ...importFields[kind]].map((field) => {
            const column = {
              headings,
              chosen: [mapping.columns[field] ?? []].flat(),
              error: errors[`mapping.columns.${field}`],
              onChange: (chosen: readonly string[]) => setColumn(field, chosen),
            }
            if (field === 'profit') return <ProfitColumns key={field} {...column} />
            const isOptional = optionalFields.includes(field) && !(kind === 'trades' && field === 'at')
            return <ColumnChoice key={field} field={field} isOptional={isOptional} {...column} />
          })}
        </div>
      </FormSection>
    </>
  )
}

/**
 * What is known of a file's columns: what was said before as far as it has these columns; else the mapping of the newest
 * import whose columns it has; else the columns that are named as fields.
 */
export function columnsFor(
  before: Mapping,
  { delimiter, headings }: NonNullable<UnreadStatement['columns']>,
  kind: MappedKind,
  earlier: readonly StatementImport[],
): Mapping {
  const has = (column: string | readonly string[]) => [column].flat().every((each) => headings.includes(each))
  const kept = Object.fromEntries(Object.entries(before.columns).filter(([, column]) => has(column)))
  const separator = ([',', ';', '\t', '|'] as const).find((each) => each === delimiter) ?? ','
  if (Object.keys(kept).length > 0) return { ...before, delimiter: separator, columns: kept }
  const known = earlier.find((one) => one.mapping && one.kind === kind && Object.values(one.mapping.columns).every(has))
  if (known?.mapping) return known.mapping
  return { ...before, delimiter: separator, columns: columnsNamedLike(headings) }
}

/** A file whose headings are all fields says itself what they hold. Among others a profit may be before commission. */
function columnsNamedLike(headings: readonly string[]): Mapping['columns'] {
  if (!headings.every(isImportField)) return {}
  // A row names its account by the id, or by server and login.
  const hasAccount = headings.includes('account')
  const named = headings.filter((heading) => !hasAccount || (heading !== 'login' && heading !== 'server'))
  return Object.fromEntries(named.map((heading) => [heading, heading]))
}

/** Without the columns of other rows, and of owners where all rows are of one account. */
export function withFieldsOf(mapping: Mapping, kind: MappedKind, isOfOneAccount: boolean): Mapping {
  const fields: readonly string[] = [...importFields[kind], ...(isOfOneAccount ? [] : ownerFields)]
  const columns = Object.fromEntries(Object.entries(mapping.columns).filter(([field]) => fields.includes(field)))
  return { ...mapping, ...(isOfOneAccount && { server: null }), columns }
}

interface ColumnProps {
  readonly headings: readonly string[]
  /** Several are summed. */
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (chosen: readonly string[]) => void
}

/** What a platform may write in columns of their own; the profit of a trade is net of it. */
const profitParts = ['Profit', 'Commission', 'Swap'] as const

/** The columns of a net profit: each cost has a field of its own, so that none is forgotten. */
function ProfitColumns({ headings, chosen, error, onChange }: ColumnProps) {
  // A cost that is chosen before the profit, or without the cost before it, keeps its field.
  const [places, setPlaces] = useState<readonly string[]>([])
  const shown = summed(places).join('\n') === chosen.join('\n') ? places : placesOf(chosen)
  const isFull = profitParts.every((_, at) => shown[at])
  const others = Array.from({ length: Math.max(0, shown.length - profitParts.length) + (isFull ? 1 : 0) }, (_, n) =>
    n === 0 ? 'Another cost' : `Another cost (${n + 1})`,
  )
  const choose = (index: number, heading: string) => {
    const next = [...profitParts, ...others].map((_, at) => (at === index ? heading : (shown[at] ?? '')))
    const last = next.findLastIndex((each) => each !== '')
    setPlaces(next.slice(0, last + 1))
    onChange(summed(next))
  }
  return [...profitParts, ...others].map((part, index) => (
    <Select
      key={part}
      label={part}
      options={[
        { value: '', label: index === 0 ? 'Choose a column' : 'In the profit already, or none' },
        ...headings.map((value) => ({ value, label: value })),
      ]}
      hint={index === 0 ? undefined : 'Added to the profit as it is written: −3.50 lowers it'}
      value={shown[index] ?? ''}
      error={index === 0 ? error : undefined}
      onChange={({ target }) => choose(index, target.value)}
    />
  ))
}

/** Nothing is summed without a profit. */
function summed(places: readonly string[]): readonly string[] {
  return places[0] ? places.filter((each) => each !== '') : []
}

function placesOf([profit = '', ...costs]: readonly string[]): readonly string[] {
  const swap = costs.find((each) => /swap|storage|rollover/i.test(each)) ?? ''
  const [commission = '', ...others] = costs.filter((each) => each !== swap)
  return [profit, commission, swap, ...others]
}

interface ColumnChoiceProps extends ColumnProps {
  readonly field: ImportField
  readonly isOptional: boolean
}

/** The column of a field. Amounts may be the sum of several: another choice adds one. */
function ColumnChoice({ field, isOptional, headings, chosen, error, onChange }: ColumnChoiceProps) {
  const isSummed = summedFields.includes(field)
  const none = { value: '', label: isOptional ? 'None' : 'Choose a column' }
  const choices = isSummed && chosen.length > 0 ? [...chosen, ''] : [chosen[0] ?? '']
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {choices.map((heading, index) => (
        <Select
          key={index === 0 ? field : `${field} ${heading}`}
          label={index === 0 ? importFieldLabels[field] : `Plus (${importFieldLabels[field]})`}
          options={[
            index === 0 ? none : { value: '', label: 'Nothing more' },
            ...headings.map((value) => ({ value, label: value })),
          ]}
          value={heading}
          error={index === 0 ? error : undefined}
          onChange={({ target }) =>
            onChange(choices.map((each, at) => (at === index ? target.value : each)).filter((each) => each !== ''))
          }
        />
      ))}
    </div>
  )
}
