import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { GitCompareArrows } from 'lucide-react'
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import type { AuditMoments, AuditState } from '#services/oversight/audit/audit-api.ts'
import { addressWith } from '@/api/api.ts'
import { formatDate } from '@/format/dates.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { ErrorState, Loaded, Skeleton } from '@/ui/states.tsx'
import { Tabs } from '@/ui/tabs.tsx'
import { useChangeAddress } from '@/lists/address.ts'
import { AuditEntryText } from './audit-entry-row.tsx'
import { EVERYTHING, filterFromSearch, Filters } from './filters.tsx'
import { type Moment, momentAt, indexOfAddress } from './moments.ts'
import { auditEntryQuery, momentsQuery, stateQuery, type AuditSubject } from './audit-queries.ts'
import { MomentBand, Scrubber } from './scrubber.tsx'
import { Comparison, StateSkeleton, StateView } from './state-view.tsx'
import { AuditEntrySkeletons, Timeline } from './timeline.tsx'
import type { ReplaySearch } from './replay-search.ts'

interface ReplayProps {
  readonly subject: AuditSubject
  readonly search: ReplaySearch
  /** The account as it is. */
  readonly now: AuditState
  /** The way to a moment that is not in this history. */
  readonly elsewhere?: ReactNode
}

/** The history of an account: its events, and the account as it was after any of them, or after two, side by side. */
export function Replay(props: ReplayProps) {
  const found = useQuery(momentsQuery(props.subject, {}, props.now.number))
  return (
    <Loaded query={found} failure="The history could not be loaded" loading={<ReplaySkeleton />}>
      {(moments) => <LoadedReplay {...props} moments={moments} />}
    </Loaded>
  )
}

function LoadedReplay({ moments, elsewhere, ...replay }: ReplayProps & { readonly moments: AuditMoments }) {
  const { search } = replay
  const { at, compare } = search
  const { pathname } = useLocation()
  const change = useChangeAddress()
  const sliders = useRef<HTMLDivElement>(null)
  // A comparison begun in the timeline replaces the timeline, and with it the button that had the focus.
  const compared = useRef(compare)
  useLayoutEffect(() => {
    if (compared.current === undefined && compare !== undefined && document.activeElement === document.body)
      focusSlider(sliders, 1)
    compared.current = compare
  }, [compare])
  const last = moments.numbers.length - 1
  const index = at === undefined ? last : indexOfAddress(moments, at)
  const otherIndex = compare === undefined ? undefined : indexOfAddress(moments, compare)
  const other = otherIndex === undefined ? undefined : momentAt(moments, otherIndex)
  const shown = index === undefined ? undefined : momentAt(moments, index)
  const hrefTo = (changes: ReplaySearch) => addressWith(pathname, { ...search, ...changes })

  if (index === undefined || !shown)
    return (
      <Card>
        <ErrorState
          title="There is no such moment"
          action={
            <span className="flex flex-wrap justify-center gap-4">
              <AddressLink
                href={hrefTo({ at: undefined })}
                className="font-medium text-accent underline underline-offset-4"
              >
                Back to now
              </AddressLink>
              {elsewhere}
            </span>
          }
        >
          {/^\d+$/.test(at ?? '')
            ? `This account has no entry #${at}.`
            : 'This account was not there yet, or the address names no time.'}
        </ErrorState>
      </Card>
    )

  // The first move leaves the present behind and can be gone back from; the next ones only move on.
  const moveTo = (to: number) =>
    change({ at: to === last ? undefined : String(moments.numbers[to]) }, { replace: at !== undefined })
  const compareWith = (number: number) => {
    const named = number === shown.number ? moments.numbers[Math.max(index - 1, 0)] : number
    void change({ compare: String(named) }, { replace: compare !== undefined, fromTop: true })
  }
  const part = {
    ...replay,
    namesAccount: replay.now.accounts.length > 1,
    shown,
    hrefOf: (number: number) => hrefTo({ at: String(number) }),
    onCompare: compareWith,
  }
  return (
    <div className="flex flex-col gap-4">
      <Card>
        <div className="flex flex-col gap-4" ref={sliders}>
          <MomentBand
            moment={shown}
            isNow={index === last}
            backHref={hrefTo({ at: undefined })}
            onBack={() => focusSlider(sliders, 0)}
          />
          <Scrubber label="Moment" fieldLabel="Go to" moments={moments} index={index} onMove={moveTo} />
          {otherIndex !== undefined && (
            <div>
              <h2 className="mb-1 text-13 font-medium">Compared with</h2>
              <Scrubber
                label="Other moment"
                fieldLabel="Compare with"
                moments={moments}
                index={otherIndex}
                onMove={(to) => change({ compare: String(moments.numbers[to]) }, { replace: true })}
              />
            </div>
          )}
          <div className="flex flex-wrap items-start justify-between gap-3 border-t border-line pt-4">
            <SelectedEntry {...part} />
            {compare === undefined ? (
              <Button look="secondary" disabled={last === 0} onClick={() => compareWith(shown.number)}>
                <GitCompareArrows size={16} aria-hidden />
                Compare two moments
              </Button>
            ) : (
              <Button look="secondary" onClick={() => void change({ compare: undefined })}>
                Stop comparing
              </Button>
            )}
          </div>
        </div>
      </Card>
      {other === undefined ? (
        <SingleMoment {...part} isNow={index === last} />
      ) : (
        <>
          <TwoMoments {...part} other={other} newest={moments.numbers[last]} />
          <FilteredTimeline {...part} />
        </>
      )}
    </div>
  )
}

interface PartProps extends ReplayProps {
  readonly namesAccount: boolean
  readonly shown: Moment
  readonly hrefOf: (number: number) => string
  readonly onCompare: (number: number) => void
}

function focusSlider(sliders: RefObject<HTMLElement | null>, index: number): void {
  sliders.current?.querySelectorAll<HTMLInputElement>('input[type=range]')[index]?.focus({ preventScroll: true })
}

/** The event itself: a reader who followed its stamp sees it first. */
function SelectedEntry({ subject, namesAccount, shown, hrefOf }: PartProps) {
  const [entry] = useQuery(auditEntryQuery(useQueryClient(), subject, shown.number)).data ?? []
  return (
    <section aria-label="What happened at this moment" className="min-h-16 min-w-0 flex-1 basis-72">
      {entry ? (
        <AuditEntryText
          entry={entry}
          reader={subject.reader}
          namesAccount={namesAccount}
          href={undefined}
          hrefOf={hrefOf}
        />
      ) : (
        <Skeleton className="h-14 w-64" />
      )}
    </section>
  )
}

/** Timeline and account beside each other; where there is no room, behind two tabs. */
function SingleMoment({ isNow, ...part }: PartProps & { readonly isNow: boolean }) {
  const { search, shown } = part
  const change = useChangeAddress()
  const isWide = useIsWide()
  const account = (
    // Beside the timeline it scrolls within a frame that keeps its edges.
    <Card
      title={isNow ? 'The account now' : `The account after #${shown.number}`}
      className={isWide ? 'border-0! bg-transparent!' : isNow ? '' : 'border-accent!'}
    >
      <AccountAtMoment {...part} />
    </Card>
  )
  if (isWide)
    return (
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(340px,400px)] items-start gap-4 print:flex print:flex-col-reverse print:items-stretch">
        <FilteredTimeline {...part} />
        {/* Reachable by keyboard, so that it can be scrolled without a mouse. */}
        <div
          tabIndex={0}
          role="region"
          aria-label="The account at this moment"
          className={clsx(
            'scroll-edges sticky top-[72px] max-h-[calc(100dvh-88px)] overflow-y-auto rounded-lg border print:static print:max-h-none',
            isNow ? 'border-line' : 'border-accent',
          )}
        >
          {account}
        </div>
      </div>
    )
  return (
    <Tabs
      label="History"
      value={search.view ?? 'timeline'}
      onChange={(view) => void change({ view: view === 'account' ? view : undefined }, { replace: true })}
      tabs={[
        { value: 'timeline', label: 'Timeline', content: <FilteredTimeline {...part} /> },
        { value: 'account', label: isNow ? 'Account now' : 'Account then', content: account },
      ]}
    />
  )
}

function AccountAtMoment({ subject, now, shown }: PartProps) {
  const state = useQuery(stateQuery(subject, shown.number, now))
  return (
    <Loaded query={state} failure="The account could not be loaded" loading={<StateSkeleton />}>
      {(data) => <StateView state={data} isBusy={state.isPlaceholderData} />}
    </Loaded>
  )
}

interface TwoMomentsProps extends PartProps {
  readonly other: Moment
  /** The number of the newest event. */
  readonly newest: number | undefined
}

function TwoMoments({ subject, now, shown, other, newest }: TwoMomentsProps) {
  const [first, second] = other.number < shown.number ? [other, shown] : [shown, other]
  const earlier = useQuery(stateQuery(subject, first.number, now))
  const later = useQuery(stateQuery(subject, second.number, now))
  const error = earlier.error ?? later.error
  const titleOf = ({ number, at }: Moment) => (
    <>
      {number === newest ? 'Now, after' : 'After'} #{number}
      <span className="block text-12 font-normal text-muted">{formatDate(new Date(at), 'exact')}</span>
    </>
  )
  return (
    <Card title="Two moments">
      {error ? (
        <ErrorState
          title="The account could not be loaded"
          error={error}
          onRetry={() => [earlier, later].forEach(({ refetch }) => void refetch())}
        />
      ) : earlier.data && later.data ? (
        <Comparison
          earlier={earlier.data}
          later={later.data}
          earlierTitle={titleOf(first)}
          laterTitle={titleOf(second)}
          isBusy={earlier.isPlaceholderData || later.isPlaceholderData}
        />
      ) : (
        <StateSkeleton />
      )}
    </Card>
  )
}

function FilteredTimeline(part: PartProps) {
  const { subject, search, now } = part
  const change = useChangeAddress()
  const filter = filterFromSearch(search)
  const found = useQuery(momentsQuery(subject, filter, now.number))
  return (
    <Card title="Timeline">
      <Filters reader={subject.reader} filter={search} isSearched />
      <Loaded query={found} failure="The timeline could not be loaded" loading={timelineSkeleton}>
        {(moments) => (
          <Timeline
            {...part}
            moments={moments}
            filter={filter}
            onSearchEverything={
              search.search !== undefined && search.type === undefined
                ? () => void change({ type: EVERYTHING }, { replace: true })
                : undefined
            }
          />
        )}
      </Loaded>
    </Card>
  )
}

const timelineSkeleton = (
  <ul>
    <AuditEntrySkeletons />
  </ul>
)

/** The shape of a history while it is read. */
export function ReplaySkeleton() {
  return (
    <div className="flex flex-col gap-4">
      <Card>
        <Skeleton className="h-10 w-full" />
        <Skeleton className="mt-6 h-4 w-full" />
        <Skeleton className="mt-8 h-16 w-72" />
      </Card>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(340px,400px)]">
        <Card title="Timeline">{timelineSkeleton}</Card>
        <Card className="max-lg:hidden">
          <StateSkeleton />
        </Card>
      </div>
    </div>
  )
}

/** From here on two columns fit beside each other. */
const wide = '(min-width: 1024px)'

function subscribe(listener: () => void): () => void {
  const query = matchMedia(wide)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the window is wide enough for a timeline with the account beside it. */
function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(wide).matches)
}
