import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { AuditActor, AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { eventNumber, formatCount } from '@/format/counts.ts'
import { formatDate } from '@/format/dates.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { CopyableId, Stamp } from '@/ui/text.tsx'
import { activityAddressOf } from '@/addresses.ts'
import { changesOver, type DayLine } from './day-groups.ts'
import {
  type ChangeDescription,
  formatEvidence,
  subjectOf,
  type Audience,
  titleOf,
  describeChanges,
  describeActor,
  markOf,
} from './words.ts'

interface AuditEntryTextProps {
  readonly entry: AuditEvent
  readonly reader: Audience
  /** Where the account is shown as it was right after it. */
  readonly href: string | undefined
  /** Where other events of the account are. */
  readonly hrefOf: (number: number) => string | undefined
  /** The history covers several accounts, so the entry says which one it is about. */
  readonly namesAccount: boolean
  /** Further actions on it. */
  readonly actions?: ReactNode
}

interface AuditEntryRowProps extends AuditEntryTextProps {
  /** The moment that the page shows. */
  readonly isShown?: boolean
  /** It happened after the moment that the page shows. */
  readonly isLater?: boolean
}

/** One event of a timeline: number, time, title, `from → to`, why and who; the request is behind 'Details'. */
export function AuditEntryRow({ isShown = false, isLater = false, ...text }: AuditEntryRowProps) {
  return (
    <li
      aria-current={isShown || undefined}
      className={clsx('relative rounded-md py-3 pr-3 pl-6', isShown && 'bg-accent-soft')}
    >
      <Dot className={isShown ? 'border-accent bg-accent' : isLater ? 'border-edge bg-card' : 'border-edge bg-edge'} />
      <AuditEntryText {...text} />
    </li>
  )
}

interface DayRowProps {
  readonly line: DayLine
  /** The number of the moment that the page shows. */
  readonly shown: number
  readonly href: string | undefined
  readonly namesAccount: boolean
  readonly row: (entry: AuditEvent) => ReactNode
}

/** Shows the changes of a day in one line, such as balance and profit; its entries are behind a click. */
export function DayRow({ line: { title, ofDay }, shown, href, namesAccount, row }: DayRowProps) {
  const [newest] = ofDay
  const isShown = ofDay.some(({ number }) => number === shown)
  return (
    <li className="relative py-3 pr-3 pl-6">
      <Dot className={isShown ? 'border-accent bg-card' : 'border-edge bg-card'} />
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">
          {title}
          <Subject>{subjectOf(newest, namesAccount)}</Subject>
        </span>
        <Stamp number={newest.number} at={newest.at} more={formatDate(newest.at, 'exact')} href={href} />
      </p>
      <ChangeList changes={describeChanges(changesOver(ofDay))} />
      <details className="mt-1" open={isShown}>
        <summary className="w-fit cursor-pointer rounded-sm text-12 text-muted hover:text-ink">
          {ofDay.length} entries
        </summary>
        <ol className="mt-1 ml-1.5 border-l border-line">{ofDay.map(row)}</ol>
      </details>
    </li>
  )
}

/** The content of an event, without its place on a timeline. */
export function AuditEntryText({ entry, reader, href, hrefOf, namesAccount, actions }: AuditEntryTextProps) {
  const { number, at, type, actor, changes, content, judgement, reason, evidence, corrects, requestId } = entry
  const mark = markOf(actor)
  // A reason that is a field as well, such as that of a ban, is shown once.
  const described = describeChanges(changes).filter(({ to }) => reason === null || to !== reason)
  return (
    <>
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">
          {titleOf(type, reader)}
          <Subject>{subjectOf(entry, namesAccount)}</Subject>
        </span>
        <Stamp number={number} at={at} more={formatDate(at, 'exact')} href={href} />
      </p>
      <ChangeList changes={described} />
      {reason !== null && <Remark name="Why">{reason}</Remark>}
      {evidence && <Remark name="Evidence">{formatEvidence(evidence)}</Remark>}
      {corrects !== undefined && (
        <p className="mt-1 text-13">
          Corrects the mistaken breach <CorrectionLink number={corrects} href={hrefOf(corrects)} />
        </p>
      )}
      <div className="mt-1 flex flex-wrap items-baseline gap-x-3 text-12 text-muted">
        <ActorText actor={actor} reader={reader} />
        {actions}
        <details className="open:basis-full">
          <summary className="w-fit cursor-pointer rounded-sm hover:text-ink">Details</summary>
          {content && <Content {...content} />}
          {judgement !== undefined && <p className="text-13 break-words">{judgement}</p>}
          <span className="mt-1 inline-flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="inline-flex items-center gap-1">
              Request <CopyableId id={requestId} of={`the request of entry #${number}`} />
            </span>
            <span>
              Type <span className="font-mono">{type}</span>
            </span>
            {reader === 'trader' && mark !== undefined && (
              <span>
                The same administrator always has the mark <span className="font-mono">{mark}</span>
              </span>
            )}
          </span>
        </details>
      </div>
    </>
  )
}

function Subject({ children }: { readonly children: string }) {
  if (children === '') return null
  return <span className="font-mono text-12 font-normal text-muted"> {children}</span>
}

/** The rows of an event that can hold many. */
function Content({ rows, more }: NonNullable<AuditEvent['content']>) {
  return (
    <>
      <ol aria-label="Content" className="my-1 flex flex-col gap-0.5 text-13 text-ink [overflow-wrap:anywhere]">
        {rows.map((row, index) => (
          <li key={index}>{row}</li>
        ))}
      </ol>
      {more > 0 && <p className="mb-1">And {formatCount(more)} more.</p>}
    </>
  )
}

/** A mark on the line at the left of a timeline. */
function Dot({ className }: { readonly className: string }) {
  return (
    <span
      aria-hidden
      className={clsx(
        'absolute top-[18px] -left-[5px] size-2.5 rounded-full border-2 outline-4 outline-card',
        className,
      )}
    />
  )
}

/** Fields with `from → to`. */
function ChangeList({ changes }: { readonly changes: readonly ChangeDescription[] }) {
  if (changes.length === 0) return null
  return (
    <dl className="mt-1 flex flex-col gap-0.5 text-13">
      {changes.map(({ field, label, from, to }) => (
        <div key={field} className="flex flex-wrap gap-x-2">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">
            {from !== undefined && (
              <>
                {from} <span aria-label="to">→</span>{' '}
              </>
            )}
            <span className="font-medium">{to}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Remark({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <p className="mt-1 text-13 [overflow-wrap:anywhere] whitespace-pre-line">
      <span className="text-muted">{name}: </span>
      {children}
    </p>
  )
}

function CorrectionLink({ number, href }: { readonly number: number; readonly href: string | undefined }) {
  if (href === undefined) return <span className="font-mono">{eventNumber(number)}</span>
  return (
    <AddressLink href={href} look="quiet" className="font-mono">
      {eventNumber(number)}
    </AddressLink>
  )
}

/** Who did it. An auditor finds everything else that an administrator did behind the name. */
function ActorText({ actor, reader }: { readonly actor: AuditActor; readonly reader: Audience }) {
  const { word, name } = describeActor(actor, reader)
  if (name === undefined) return <span>{word}</span>
  return (
    <span>
      {word}{' '}
      <AddressLink href={activityAddressOf(name)} look="quiet">
        {name}
      </AddressLink>
    </span>
  )
}
