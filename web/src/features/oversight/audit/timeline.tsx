import { useQueries } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import type { AuditMoments } from '#services/oversight/audit/audit-api.ts'
import type { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { formatCount } from '@/format/counts.ts'
import { Button } from '@/ui/button.tsx'
import { EmptyState, ErrorState, Loading, Skeleton } from '@/ui/states.tsx'
import { AuditEntryRow, DayRow } from './audit-entry-row.tsx'
import { dayOf, linesOf } from './day-groups.ts'
import { boundsOf, lastIndexUpTo, type Moment, PAGE_SIZE, pageOf, type PageRange, pageRangeAround } from './moments.ts'
import { type AuditEntryFilter, auditEntriesQuery, type AuditSubject } from './audit-queries.ts'

interface TimelineProps {
  readonly subject: AuditSubject
  /** The moments that pass the filter. */
  readonly moments: AuditMoments
  readonly filter: AuditEntryFilter
  /** The history covers several accounts, so entries say which one they are about. */
  readonly namesAccount: boolean
  /** The moment that the page shows. */
  readonly shown: Moment
  readonly hrefOf: (number: number) => string
  readonly onCompare: (number: number) => void
  /** Given where a search covers decisions only. */
  readonly onSearchEverything: (() => void) | undefined
}

/** The events of an account, newest first, page by page around the shown moment. */
export function Timeline({
  subject,
  moments: { numbers },
  filter,
  namesAccount,
  shown,
  hrefOf,
  onCompare,
  onSearchEverything,
}: TimelineProps) {
  const { type, actor, search } = filter
  const anchor = lastIndexUpTo(numbers, shown.number)
  // Pages opened beside the page of the moment; forgotten when the moment leaves it.
  const [request, setAsked] = useState<PageRange>()
  const page = pageOf(anchor)
  const last = pageOf(numbers.length - 1)
  const pages =
    request && request.oldest <= page && page <= request.newest
      ? { ...request, newest: Math.min(request.newest, last) }
      : pageRangeAround(anchor)
  const wanted = Array.from({ length: pages.newest - pages.oldest + 1 }, (_, index) => pages.newest - index).flatMap(
    (one) => boundsOf(numbers, one) ?? [],
  )
  const answers = useQueries({
    queries: wanted.map((between) => auditEntriesQuery(subject, between, { type, actor, search }, PAGE_SIZE)),
  })

  if (numbers.length === 0)
    return (
      <EmptyState
        title="No entries found"
        action={
          onSearchEverything && (
            <Button look="secondary" onClick={onSearchEverything}>
              Search in everything
            </Button>
          )
        }
      >
        {onSearchEverything ? 'No decision says this.' : 'Nothing of this kind happened here. Try other filters.'}
      </EmptyState>
    )
  const later = numbers.length - (pages.newest + 1) * PAGE_SIZE
  const earlier = pages.oldest * PAGE_SIZE
  let day = ''
  const row = (entry: AuditEvent) => (
    <AuditEntryRow
      key={entry.number}
      entry={entry}
      reader={subject.reader}
      namesAccount={namesAccount}
      href={hrefOf(entry.number)}
      hrefOf={hrefOf}
      isShown={entry.number === shown.number}
      isLater={entry.number > shown.number}
      actions={
        <button
          type="button"
          aria-label={`Compare with the moment after entry #${entry.number}`}
          className="rounded-sm underline decoration-edge/60 print:hidden underline-offset-4 hover:text-ink hover:decoration-ink"
          onClick={() => onCompare(entry.number)}
        >
          Compare
        </button>
      }
    />
  )
  return (
    <>
      {later > 0 && (
        <More
          count={Math.min(later, PAGE_SIZE)}
          of={later}
          which="later"
          onMore={() => setAsked({ ...pages, newest: pages.newest + 1 })}
        />
      )}
      <ol aria-label="Timeline, newest first" className="ml-1.5 border-l border-line">
        {answers.map(({ data, isError, error, refetch }, index) => {
          const between = wanted[index]
          if (!between) return undefined
          if (isError && !data)
            return (
              <li key={between.from}>
                <ErrorState title="These entries could not be loaded" error={error} onRetry={refetch} />
              </li>
            )
          if (!data) return <AuditEntrySkeletons key={between.from} />
          return linesOf(data.toReversed()).map((line) => {
            const newest = 'entry' in line ? line.entry : line.ofDay[0]
            const own = dayOf(newest)
            const isNewDay = own !== day
            day = own
            return (
              <Fragment key={newest.number}>
                {isNewDay && <li className="pt-4 pb-1 pl-6 text-12 font-medium text-muted first:pt-0">{own}</li>}
                {'entry' in line ? (
                  row(line.entry)
                ) : (
                  <DayRow
                    line={line}
                    shown={shown.number}
                    href={hrefOf(newest.number)}
                    namesAccount={namesAccount}
                    row={row}
                  />
                )}
              </Fragment>
            )
          })
        })}
      </ol>
      {earlier > 0 && (
        <More
          count={Math.min(earlier, PAGE_SIZE)}
          of={earlier}
          which="earlier"
          onMore={() => setAsked({ ...pages, oldest: pages.oldest - 1 })}
        />
      )}
    </>
  )
}

interface MoreProps {
  readonly count: number
  readonly of: number
  readonly which: 'earlier' | 'later'
  readonly onMore: () => void
}

function More({ count, of, which, onMore }: MoreProps) {
  return (
    <p className="my-3 flex flex-wrap items-center gap-3 text-13 text-muted">
      <Button look="secondary" onClick={onMore}>
        Show {formatCount(count)} {which} entries
      </Button>
      <span className="print:hidden">{of > count && `${formatCount(of)} in all`}</span>
      <span className="hidden print:inline">
        {formatCount(of)} {which} entries are not printed.
      </span>
    </p>
  )
}

/** Skeletons in the shape of events. */
export function AuditEntrySkeletons() {
  return (
    <li>
      <Loading label="Loading entries" className="flex flex-col gap-6 py-3 pl-6">
        {Array.from({ length: 6 }, (_, index) => (
          <div key={index} className="flex flex-col gap-2">
            <Skeleton className="h-4 w-48" />
            <Skeleton className="h-4 w-64" />
            <Skeleton className="h-3 w-56" />
          </div>
        ))}
      </Loading>
    </li>
  )
}
