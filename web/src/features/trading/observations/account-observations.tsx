import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { optionsOf } from '#services/framework/api/options.ts'
import { observation } from '#services/rules/observation.ts'
import type { AccountObservation } from '#services/trading/observations/observation-api.ts'
import { observationInWords } from '#services/trading/stream/observation-descriptions.ts'
import {
  observationSourceLabels,
  observedKindLabels,
  observedKinds,
} from '#services/trading/stream/observation-vocabulary.ts'
import { ReadByStaff } from '@/account-in-address.ts'
import { useMay } from '@/features/frame/access.tsx'
import { EventLink } from '@/features/trading/accounts/event-link.tsx'
import { ownerOf } from '@/format/account-name.ts'
import { DayFilter, Filter } from '@/lists/list-controls.tsx'
import { ListTable } from '@/lists/list-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { TextLink } from '@/ui/link.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { ObservationCorrection } from './observation-correction.tsx'
import { observationsQuery } from './observation-queries.ts'

const route = getRouteApi('/admin')
const kinds = optionsOf(observedKinds, observedKindLabels)

/** What was observed of an account, the last observed first: what the rules rest on, each with where it came from. */
export function AccountObservations({ account }: { readonly account: string }) {
  const { observed: kind, since, until, rows: cursor } = route.useSearch()
  const mayCorrect = useMay('import-statements')
  const [opened, setOpened] = useState<AccountObservation>()
  const list = useQuery(observationsQuery(account, { kind, since, until, cursor }))
  const isFiltered = [kind, since, until].some((one) => one !== undefined)
  return (
    <ReadByStaff value={ownerOf(account)}>
      <div className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-3">
        <div className="max-sm:col-span-full">
          <Filter name="observed" label="Kind" options={kinds} />
        </div>
        <DayFilter name="since" label="From" />
        <DayFilter name="until" label="To" />
      </div>
      {mayCorrect && <p className="mb-3 text-13 text-muted">Open an observation to correct it or to take it away.</p>}
      <ListTable
        label="Observations"
        list={list}
        cursor="rows"
        columns={columns}
        rowId={({ id }) => id}
        {...(mayCorrect && { onOpen: setOpened })}
        expectedRows={6}
        empty={
          <EmptyState title={isFiltered ? 'Nothing found' : 'No observations'}>
            {isFiltered
              ? 'Nothing of this kind was observed in these days.'
              : 'What a platform reports of an account under a programme stands here.'}
          </EmptyState>
        }
      />
      {opened && <ObservationCorrection account={account} observed={opened} onClose={() => setOpened(undefined)} />}
    </ReadByStaff>
  )
}

const columns: readonly Column<AccountObservation>[] = [
  {
    header: 'Observed',
    cell: ({ observation: { at } }) => <DateText at={at} how="exact" />,
    inCard: { at: 'start', line: 1 },
  },
  {
    header: 'Content',
    cell: ({ observation: written }) => <Content written={written} />,
    inCard: { at: 'line', line: 2 },
  },
  { header: 'Source', cell: (observed) => <SourceText {...observed} />, inCard: { at: 'line', line: 3 } },
  {
    header: 'Event',
    cell: ({ event, corrected }) => (
      <span className="flex flex-col items-start gap-1">
        <EventLink number={event} />
        {corrected && (
          <>
            {corrected.kind === null ? <Badge tone="review">Corrected</Badge> : <Badge>Facts added</Badge>}
            <span className="text-12 text-muted [overflow-wrap:anywhere]">
              {corrected.name !== null && `${corrected.name}: `}
              {corrected.reason}
            </span>
          </>
        )}
      </span>
    ),
    inCard: { at: 'line', line: 4 },
  },
]

/** An observation in words; what a newer version recorded, as it is written. */
function Content({ written }: { readonly written: AccountObservation['observation'] }) {
  const { data } = observation.safeParse(written)
  if (!data) return <span className="font-mono text-12 break-all">{JSON.stringify(written)}</span>
  const { what, figures } = observationInWords(data)
  return (
    <span className="flex flex-col [overflow-wrap:anywhere]">
      <span className="font-medium">
        {data.kind === 'day' ? (
          <>
            Day <DateText at={data.date} how="date" />
          </>
        ) : (
          what
        )}
      </span>
      <span className="text-13 text-muted">{figures}</span>
    </span>
  )
}

/** Where an observation came from: the import, the program, or the person; with its event where that is another. */
function SourceText({ source, event }: Pick<AccountObservation, 'source' | 'event'>) {
  const { kind, name, at, number, import: from } = source
  return (
    <span className="flex flex-col [overflow-wrap:anywhere]">
      {from ? (
        <TextLink to="/admin/imports/$id" params={{ id: from }} search={{}}>
          Import of a statement
        </TextLink>
      ) : (
        <span>{observationSourceLabels[kind]}</span>
      )}
      <span className="text-12 text-muted">
        {name !== null && `${name}, `}
        <DateText at={at} how="stamp" /> {number !== event && <EventLink number={number} />}
      </span>
    </span>
  )
}
