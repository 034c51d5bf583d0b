import { useMutation, useQuery } from '@tanstack/react-query'
import { CalendarPlus, FileUp } from 'lucide-react'
import { createContext, use, useState } from 'react'
import { z } from 'zod'
import type { EntryOutcome, PublishedEntry } from '#services/trading/calendar/calendar-api.ts'
import { serverNow } from '@/api/server-clock.ts'
import { useApiForm } from '@/form/api-form.ts'
import { ChangeDialog, FormDialog } from '@/form/form-dialog.tsx'
import { counted } from '@/format/counts.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { QueryTable } from '@/lists/query-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { Field, Select, TextInput } from '@/ui/field.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { entriesIn } from './calendar-file.ts'
import { calendarQuery, concerned } from './calendar-query.ts'
import { outcomesInWords, publishNews, withdrawNews } from './calendar-queries.ts'

const impactTones = { low: 'plain', medium: 'waiting', high: 'bad' } as const
const impactLabels = { low: 'Low', medium: 'Medium', high: 'High' } as const

/** Withdraws an entry. A context, so that columns can be constants. */
const WithdrawContext = createContext<(entry: PublishedEntry) => void>(() => {})

const columns: readonly Column<PublishedEntry>[] = [
  { header: 'Time', cell: ({ at }) => <DateText at={at} how="exact" /> },
  {
    header: 'News',
    cell: ({ title, withdrawn }) => (
      <span className="inline-flex flex-wrap items-center gap-2 [overflow-wrap:anywhere]">
        {title}
        {withdrawn && <Badge>Withdrawn</Badge>}
      </span>
    ),
  },
  { header: 'Impact', cell: ({ impact }) => <Badge tone={impactTones[impact]}>{impactLabels[impact]}</Badge> },
  { header: 'Concerns', cell: (entry) => <span className="[overflow-wrap:anywhere]">{concerned(entry)}</span> },
  { header: 'Published', cell: (entry) => <Published entry={entry} /> },
  { ...actionsColumn, cell: (entry) => <WithdrawButton entry={entry} /> },
]

const entryId = ({ id }: PublishedEntry) => id

const DAY = 86_400_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** What is coming, or what was within the last 30 days. */
const spans = [
  { value: 'coming', label: 'Today and coming' },
  { value: 'past', label: 'The last 30 days' },
]

/** The calendar of news, by which rules about news judge. */
export function CalendarPage() {
  const [span, setSpan] = useState('coming')
  const today = dayOf(serverNow())
  const entries = useQuery(
    span === 'coming' ? calendarQuery('admin', today) : calendarQuery('admin', dayOf(serverNow() - 30 * DAY), today),
  )
  const mayPublish = useMay('publish-programmes')
  const [opened, setOpened] = useState<'news' | 'file' | PublishedEntry>()
  const close = () => setOpened(undefined)
  return (
    <WithdrawContext value={setOpened}>
      <PageHeader
        title="Calendar of news"
        action={
          mayPublish && (
            <div className="flex flex-wrap gap-2">
              <Button look="secondary" onClick={() => setOpened('file')}>
                <FileUp size={16} aria-hidden />
                Publish File
              </Button>
              <Button onClick={() => setOpened('news')}>
                <CalendarPlus size={16} aria-hidden />
                Publish News
              </Button>
            </div>
          )
        }
      >
        Rules about news judge a trade by what was published here before it was opened or closed. What is published
        later judges nobody before.
      </PageHeader>
      <RoleNotice />
      <Select
        label="Show"
        className="mb-4 max-w-56"
        options={spans}
        value={span}
        onChange={({ target }) => setSpan(target.value)}
      />
      <QueryTable
        label="News"
        columns={columns}
        rows={entries.data}
        rowId={entryId}
        query={entries}
        failure="The calendar could not be loaded"
        empty={
          <EmptyState title="No news">
            {span === 'coming'
              ? 'Nothing is coming. Publish a file, or let a program with the scope “Publish news” do it.'
              : 'Nothing was published for the last 30 days.'}
          </EmptyState>
        }
      />
      {opened === 'news' && <NewsForm onClose={close} />}
      {opened === 'file' && <FileDialog onClose={close} />}
      {typeof opened === 'object' && (
        <ChangeDialog
          change={withdrawNews}
          input={opened}
          label="Withdraw"
          onClose={close}
          title={`Withdraw ${opened.title}?`}
          description="It stays in the calendar, marked. It judges what was opened or closed before now, and nothing after."
        />
      )}
    </WithdrawContext>
  )
}

function Published({ entry: { at, publishedAt } }: { readonly entry: PublishedEntry }) {
  const isLate = Date.parse(publishedAt) > Date.parse(at)
  return (
    <span className="flex flex-col gap-0.5 max-md:items-end">
      <DateText at={publishedAt} how="exact" />
      {isLate && <span className="text-12 text-waiting">Too late: it judges nobody before that</span>}
    </span>
  )
}

function WithdrawButton({ entry }: { readonly entry: PublishedEntry }) {
  const open = use(WithdrawContext)
  if (!useMay('publish-programmes') || entry.withdrawn) return null
  return (
    <Button look="secondary" onClick={() => open(entry)}>
      Withdraw
      <span className="sr-only"> {entry.title}</span>
    </Button>
  )
}

const newsFields = z.object({
  at: z.string().min(1, 'Please choose the time of the news'),
  title: z.string().trim().min(1, 'Please say what the news are about'),
  currency: z.string().trim(),
  symbols: z.string().trim(),
  impact: z.enum(['low', 'medium', 'high']),
})
type NewsFields = z.infer<typeof newsFields>

const impactOptions = Object.entries(impactLabels).map(([value, label]) => ({ value, label }))

function NewsForm({ onClose }: { readonly onClose: () => void }) {
  const publish = useMutation(publishNews)
  const [refusal, setRefusal] = useState<string>()
  const [at, setAt] = useState('')
  const initial: NewsFields = { at: '', title: '', currency: 'USD', symbols: '', impact: 'high' }
  const { field, handleSubmit, showRefusal } = useApiForm(newsFields, initial)
  const onSubmit = handleSubmit(({ at: time, title, currency, symbols, impact }) =>
    publish.mutate(
      [
        {
          ...{ at: `${time}${time.length === 16 ? ':00' : ''}Z`, title, impact },
          ...(currency !== '' && { currency: currency.toUpperCase() }),
          ...(symbols !== '' && { symbols: symbols.split(',').map((name) => name.trim()) }),
        },
      ],
      {
        onError: showRefusal,
        onSuccess: ([outcome]) => (outcome?.outcome === 'refused' ? setRefusal(outcome.reason ?? '') : onClose()),
      },
    ),
  )
  const isPast = at !== '' && Date.parse(`${at}Z`) <= serverNow()
  return (
    <FormDialog
      title="Publish News"
      description="Rules judge by it from the moment at which it is published."
      submit="Publish"
      change={publish}
      onSubmit={onSubmit}
      onClose={onClose}
      width="small"
    >
      <TextInput label="News" placeholder="Rate decision" autoComplete="off" maxLength={500} {...field('title')} />
      <TextInput
        label="Time"
        type="datetime-local"
        hint="In UTC."
        {...field('at', { onChange: ({ target }) => setAt(target.value) })}
      />
      {isPast && (
        <p className="text-13 text-waiting">
          This time has passed. What is published too late judges nobody: trades that were opened or closed before now
          stay as they are.
        </p>
      )}
      <Select label="Impact" options={impactOptions} {...field('impact')} />
      <TextInput
        label="Currency"
        hint="It concerns the symbols of this currency."
        maxLength={3}
        {...field('currency')}
      />
      <TextInput
        label="Symbols"
        hint="Instead of those of the currency: names with commas between them, such as US30, XAU*."
        autoComplete="off"
        {...field('symbols')}
      />
      {refusal !== undefined && (
        <p role="alert" className="text-13 text-bad">
          The news were refused. {refusal}
        </p>
      )}
    </FormDialog>
  )
}

function FileDialog({ onClose }: { readonly onClose: () => void }) {
  const publish = useMutation(publishNews)
  const [file, setFile] = useState<ReturnType<typeof entriesIn>>()
  if (publish.data)
    return (
      <Dialog
        title="Calendar published"
        onClose={onClose}
        footer={<Button onClick={onClose}>Close</Button>}
        description={outcomesInWords(publish.data)}
      >
        <Refused outcomes={publish.data} />
      </Dialog>
    )
  const late = file?.entries.filter(isPast).length ?? 0
  return (
    <FormDialog
      title="Publish File"
      description="Entries as JSON, one a line or a list, or the weekly file of Forex Factory. Those that are known and did not change stay as they are."
      submit={
        file && file.entries.length > 0 ? `Publish ${counted(file.entries.length, 'Entry', 'Entries')}` : 'Publish'
      }
      change={publish}
      disabled={!file || file.fault !== null}
      onSubmit={(event) => {
        event.preventDefault()
        if (file) publish.mutate(file.entries)
      }}
      onClose={onClose}
      width="small"
    >
      <Field label="File" error={file?.fault ?? undefined}>
        {(attributes) => (
          <input
            type="file"
            accept=".json,.jsonl,application/json"
            className="w-full text-14"
            onChange={({ target }) => void target.files?.[0]?.text().then((text) => setFile(entriesIn(text)))}
            {...attributes}
          />
        )}
      </Field>
      {late > 0 && (
        <p className="text-13 text-waiting">
          {counted(late, 'entry is', 'entries are')} of a time that has passed: what is published too late judges
          nobody.
        </p>
      )}
    </FormDialog>
  )
}

function isPast(entry: unknown): boolean {
  const { data } = z.looseObject({ at: z.string() }).safeParse(entry)
  return data !== undefined && Date.parse(data.at) <= serverNow()
}

const MOST_LISTED = 20

function Refused({ outcomes }: { readonly outcomes: readonly EntryOutcome[] }) {
  const refused = outcomes.flatMap(({ outcome, reason, id }, n) =>
    outcome === 'refused' ? [{ place: n + 1, id, reason }] : [],
  )
  if (refused.length === 0) return <p className="text-14">Every entry was taken.</p>
  return (
    <>
      <ul className="flex flex-col gap-1 text-13">
        {refused.slice(0, MOST_LISTED).map(({ place, id, reason }) => (
          <li key={place} className="[overflow-wrap:anywhere]">
            Entry {place}
            {id !== null && ` (${id})`}: {reason}
          </li>
        ))}
      </ul>
      {refused.length > MOST_LISTED && (
        <p className="mt-2 text-13 text-muted">And {refused.length - MOST_LISTED} more.</p>
      )}
    </>
  )
}
