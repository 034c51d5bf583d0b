import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { optionsOf } from '#services/framework/api/options.ts'
import { type StatementImport, UnreadStatement } from '#services/trading/imports/import-api.ts'
import { type MappedKind, mappedKinds } from '#services/trading/imports/import-vocabulary.ts'
import type { Mapping } from '#services/trading/imports/mapping-api.ts'
import { isStatementFormat, statementFormats } from '#services/trading/statements/statement-vocabulary.ts'
import { ApiError } from '@/api/api-error.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { Select, TextInput } from '@/ui/field.tsx'
import { AccountInput } from './account-input.tsx'
import { previewImport, type StatementSaid } from './import-queries.ts'
import { columnsFor, MappingFields, noMapping, withFieldsOf } from './mapping-fields.tsx'
import { keepFile } from './read-files.ts'

interface StatementDialogProps {
  /** What was said about them is offered again. */
  readonly earlier: readonly StatementImport[]
  /** An import that is read again in another way, with its file where this page still has it. */
  readonly again?: { readonly found: StatementImport; readonly file: File | undefined }
  readonly onRead: (id: string) => void
  readonly onClose: () => void
}

/** What the server may ask about a file. */
const questions = ['format', 'account', 'server', 'zone', 'decimal', 'dates'] as const
type Question = (typeof questions)[number]

const words: Readonly<Record<Question, { readonly label: string; readonly hint: string }>> = {
  format: { label: 'Format', hint: 'Several fit this file' },
  account: { label: 'Account', hint: 'Type a name, an email or a login to choose it' },
  server: { label: 'Server', hint: 'Such as Broker-MT5' },
  zone: {
    label: 'Time zone of the platform',
    hint: 'Many MetaTrader brokers use America/New_York+7; others Europe/Prague',
  },
  decimal: { label: 'Decimal mark', hint: 'The file does not show it' },
  dates: { label: 'Order of dates', hint: 'The file does not show it' },
}

const choices: Partial<Record<Question, readonly { readonly value: string; readonly label: string }[]>> = {
  format: [
    { value: '', label: 'Choose a format' },
    ...Object.entries(statementFormats).map(([value, { name }]) => ({ value, label: name })),
  ],
  decimal: [
    { value: '', label: 'Choose' },
    { value: '.', label: '1,234.50' },
    { value: ',', label: '1.234,50' },
  ],
  dates: [
    { value: '', label: 'Choose' },
    { value: 'day-first', label: 'Day, month, year' },
    { value: 'month-first', label: 'Month, day, year' },
  ],
}

type Said = Readonly<Record<Question, string>>
const nothingSaid: Said = { format: '', account: '', server: '', zone: '', decimal: '', dates: '' }

/** Chooses a statement, which the server reads at once; it asks for what the file does not say. */
export function StatementDialog({ earlier, again, onRead, onClose }: StatementDialogProps) {
  const [file, setFile] = useState(again?.file)
  const [said, setSaid] = useState<Said>(() => (again ? saidAbout(again.found) : nothingSaid))
  const [asked, setAsked] = useState<ReadonlySet<Question>>(() => new Set(again ? askedAgain(again.found) : []))
  const [kind, setKind] = useState<MappedKind>(again?.found.kind === 'days' ? 'days' : 'trades')
  const [mapping, setMapping] = useState<Mapping>(again?.found.mapping ?? noMapping)
  /** The headings of a file that no format fits, as the server read them. */
  const [headings, setHeadings] = useState<readonly string[] | undefined>(() =>
    again?.found.mapping ? Object.values(again.found.mapping.columns).flat() : undefined,
  )
  /** What the server knows of a file that it cannot read yet. */
  const [recognised, setRecognised] = useState<UnreadStatement['recognised']>()
  /** Asked before anybody could answer: questions, and no faults yet. */
  const [unanswered, setUnanswered] = useState<ReadonlySet<Question>>(new Set())
  const change = useMutation(previewImport)
  const errors = change.error instanceof ApiError ? change.error.fields : {}
  const faultOf = (question: Question) => (unanswered.has(question) ? undefined : errors[question])

  const read = (chosen: File, next: StatementSaid, isSent: boolean) =>
    change.mutate(
      { said: next, file: chosen },
      {
        onSuccess: ({ id }) => {
          keepFile(id, chosen)
          onRead(id)
        },
        onError: (error) => {
          if (!(error instanceof ApiError)) return
          const { columns, recognised: known } = knownFrom(error)
          const now = questions.filter((question) => question in error.fields)
          setAsked((before) => new Set([...before, ...now]))
          setUnanswered(new Set(now.filter((question) => !next[question] && !(isSent && asked.has(question)))))
          setRecognised((before) => known ?? before)
          if (known && now.includes('zone')) {
            const zone = zoneOf(earlier, known)
            if (zone) setSaid((before) => ({ ...before, zone: before.zone || zone }))
          }
          if (!columns) return
          setHeadings(columns.headings)
          // What was typed for another file stays where it can.
          setMapping((before) => columnsFor(before, columns, kind, earlier))
        },
      },
    )
  const choose = (chosen: File | undefined) => {
    setFile(chosen)
    change.reset()
    setRecognised(undefined)
    if (!chosen) return
    setHeadings(undefined)
    read(chosen, said, false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!file) return
    if (!headings) return read(file, said, true)
    const { account } = said
    read(file, { account, kind, mapping: withFieldsOf(mapping, kind, account.trim() !== '') }, true)
  }
  const shown = headings ? (['account'] as const) : questions.filter((question) => asked.has(question))

  return (
    <FormDialog
      title={again ? 'Read Statement Again' : 'Import Statement'}
      description="The file as the platform exports it: HTML, XLSX or CSV, at most 40 MB and 100,000 rows. You see what each row would do before anything is recorded."
      submit="Read Statement"
      width="large"
      change={change.error && Object.keys(errors).length > 0 ? { ...change, error: null } : change}
      disabled={!file}
      onSubmit={submit}
      onClose={onClose}
    >
      {unanswered.size > 0 && (
        <p role="status">
          {recognised && `Recognised: ${nameOf(recognised)}. `}
          Please say what the file does not say.
        </p>
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <TextInput
          label="File"
          type="file"
          accept=".htm,.html,.xlsx,.csv,.txt"
          hint={file && `${file.name}${change.isPending ? ' is being read' : ''}`}
          error={errors['statementFile'] ?? (headings ? undefined : errors['mapping'])}
          onChange={({ target }) => choose(target.files?.[0])}
        />
        {shown.map((question) => (
          <Answer
            key={question}
            question={question}
            value={said[question]}
            isAsked={unanswered.has(question)}
            error={faultOf(question) ?? (question === 'account' ? errors['mapping.columns'] : undefined)}
            onChange={(value) => setSaid((before) => ({ ...before, [question]: value }))}
          />
        ))}
        {headings && (
          <Select
            label="Each row is"
            options={optionsOf(mappedKinds, { days: 'A day', trades: 'A closed trade' })}
            value={kind}
            error={errors['kind']}
            onChange={({ target }) => setKind(mappedKinds.find((each) => each === target.value) ?? kind)}
          />
        )}
      </div>
      {headings && (
        <MappingFields
          kind={kind}
          isOfOneAccount={said.account.trim() !== ''}
          headings={headings}
          mapping={mapping}
          errors={errors}
          onChange={setMapping}
        />
      )}
    </FormDialog>
  )
}

interface AnswerProps {
  readonly question: Question
  /** It has the focus as a field at fault has. */
  readonly isAsked: boolean
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

function Answer({ question, isAsked, value, error, onChange }: AnswerProps) {
  const options = choices[question]
  const field = { ...words[question], value, error, 'data-asked': isAsked || undefined }
  if (options) return <Select {...field} options={options} onChange={({ target }) => onChange(target.value)} />
  if (question === 'account') return <AccountInput {...field} onChange={onChange} />
  return <TextInput {...field} autoComplete="off" onChange={({ target }) => onChange(target.value)} />
}

const known = z.object(UnreadStatement.shape).pick({ columns: true, recognised: true })

/** What a refusal says of the file, beside what is wrong with it. */
function knownFrom({ content }: ApiError): z.infer<typeof known> {
  return known.safeParse(content).data ?? {}
}

function nameOf({ format, login, server }: NonNullable<UnreadStatement['recognised']>): string {
  const name = isStatementFormat(format) ? statementFormats[format].name : format
  return [`${name}${login === null ? '' : ` of login ${login}`}`, server].filter(Boolean).join(', ')
}

/** The zone that was given for the last file of this platform: of the same server first. */
function zoneOf(earlier: readonly StatementImport[], { format, server }: NonNullable<UnreadStatement['recognised']>) {
  const given = earlier.filter((one) => one.format === format && one.zone?.from === 'given')
  return (given.find((one) => one.server === server) ?? given[0])?.zone?.name
}

function saidAbout({ mapping, format, zone, account, server }: StatementImport): Said {
  if (mapping) return { ...nothingSaid, account: account ?? '' }
  return {
    ...nothingSaid,
    format: format ?? '',
    zone: zone?.from === 'given' ? (zone.name ?? '') : '',
    server: server ?? '',
  }
}

/** Whose the rows are may have been wrong, and so may the zone. */
function askedAgain({ mapping, zone }: StatementImport): readonly Question[] {
  if (mapping) return []
  return zone?.from === 'given' ? ['account', 'server', 'zone'] : ['account', 'server']
}
