import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { optionsOf } from '#services/framework/api/options.ts'
import type { StatementImport } from '#services/trading/imports/import-api.ts'
import {
  importFieldLabels,
  type ImportField,
  importFields,
  type ImportKind,
  importKinds,
  optionalFields,
  ownerFields,
  summedFields,
} from '#services/trading/imports/import-vocabulary.ts'
import type { Mapping } from '#services/trading/imports/mapping-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { FormDialog, FormSection } from '@/form/form-dialog.tsx'
import { Select, TextInput } from '@/ui/field.tsx'
import { previewImport } from './import-queries.ts'
import { beginningOf, type Beginning, columnsIn, mappingFor, noMapping } from './statement-beginning.ts'

interface StatementDialogProps {
  /** Their mappings are offered again. */
  readonly earlier: readonly StatementImport[]
  readonly onRead: (id: string) => void
  readonly onClose: () => void
}

const delimiters = [
  { value: ',', label: 'Comma' },
  { value: ';', label: 'Semicolon' },
  { value: '\t', label: 'Tab' },
  { value: '|', label: 'Vertical line' },
] as const

const decimals = [
  { value: '', label: '1234.50 only' },
  { value: '.', label: '1,234.5' },
  { value: ',', label: '1.234,5' },
] as const

/** Chooses a statement, and says what its columns are. */
export function StatementDialog({ earlier, onRead, onClose }: StatementDialogProps) {
  const [kind, setKind] = useState<ImportKind>('days')
  const [account, setAccount] = useState('')
  const [file, setFile] = useState<File>()
  const [beginning, setBeginning] = useState<Beginning>()
  const [mapping, setMapping] = useState<Mapping>(noMapping)
  const change = useMutation(previewImport)
  const errors = change.error instanceof ApiError ? change.error.fields : {}
  const headings = beginning ? columnsIn(beginning, mapping.delimiter) : []

  const choose = async (chosen: File | undefined) => {
    setFile(chosen)
    if (!chosen) return setBeginning(undefined)
    const read = await beginningOf(chosen)
    setBeginning(read)
    setMapping(mappingFor(read, kind, earlier))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!file) return
    const ofAll = account.trim()
    const read = ofAll === '' ? mapping : withoutOwners(mapping)
    change.mutate({ kind, account: ofAll, mapping: read, file }, { onSuccess: ({ id }) => onRead(id) })
  }
  const set = (changes: Partial<Mapping>) => setMapping((before) => ({ ...before, ...changes }))
  const setColumn = (field: ImportField, chosen: readonly string[]) =>
    setMapping((before) => {
      const { [field]: _before, ...others } = before.columns
      const [first, ...more] = chosen
      if (first === undefined) return { ...before, columns: others }
      return { ...before, columns: { ...others, [field]: more.length > 0 ? [first, ...more] : first } }
    })
  const owners = account.trim() === '' ? ownerFields : []

  return (
    <FormDialog
      title="Import Statement"
      description="A CSV file in UTF-8 or UTF-16 of at most 20 MB and 100,000 rows. First you see what each row would do."
      submit="Read Statement"
      width="large"
      change={change}
      disabled={!file}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid gap-5 sm:grid-cols-2">
        <TextInput
          label="File"
          type="file"
          accept=".csv,.txt,text/csv"
          error={errors['statementFile']}
          onChange={({ target }) => void choose(target.files?.[0])}
        />
        <Select
          label="Each row is"
          options={optionsOf(importKinds, { days: 'A day', trades: 'A closed trade' })}
          value={kind}
          onChange={({ target }) => {
            const chosen = importKinds.find((each) => each === target.value) ?? kind
            setKind(chosen)
            if (beginning) setMapping(mappingFor(beginning, chosen, earlier))
          }}
        />
        <TextInput
          label="Account"
          hint="Its id, if all rows are of one account"
          autoComplete="off"
          value={account}
          error={errors['account'] ?? errors['mapping.columns']}
          onChange={({ target }) => setAccount(target.value)}
        />
        <Select
          label="Cells are separated by"
          options={delimiters}
          value={mapping.delimiter}
          onChange={({ target }) => {
            const chosen = delimiters.find(({ value }) => value === target.value)
            if (chosen) set({ delimiter: chosen.value, columns: {} })
          }}
        />
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
          hint="Such as Europe/Prague; of many MetaTrader brokers America/New_York+7"
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
      {beginning && (
        <FormSection title="Columns">
          <div className="grid gap-5 sm:grid-cols-2">
            {[...owners, ...importFields[kind]].map((field) => (
              <ColumnChoice
                key={field}
                field={field}
                isOptional={optionalFields.includes(field) && !(kind === 'trades' && field === 'at')}
                headings={headings}
                chosen={[mapping.columns[field] ?? []].flat()}
                error={errors[`mapping.columns.${field}`]}
                onChange={(chosen) => setColumn(field, chosen)}
              />
            ))}
          </div>
        </FormSection>
      )}
    </FormDialog>
  )
}

/** Where all rows are of one account, no column says whose they are. */
function withoutOwners({ columns, ...mapping }: Mapping): Mapping {
  const isOwner = (name: string) => ownerFields.some((field) => field === name)
  return {
    ...mapping,
    server: null,
    columns: Object.fromEntries(Object.entries(columns).filter(([name]) => !isOwner(name))),
  }
}

interface ColumnChoiceProps {
  readonly field: ImportField
  readonly isOptional: boolean
  readonly headings: readonly string[]
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (chosen: readonly string[]) => void
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
