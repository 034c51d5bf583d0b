import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { AuditActor, AuditFact } from '../../../../services/api/audit-schemas.ts'
import { eventNumber } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { AddressLink } from '../../ui/address-link.tsx'
import { CopyableId, Stamp } from '../../ui/text.tsx'
import { activityAddressOf } from './addresses.ts'
import { changeOver } from './day-groups.ts'
import { formatEvidence, formatValue, labelOf, reasonOf, subjectSuffixOf, type Audience, titleOf, describeChanges, describeActor } from './words.ts'

interface AuditEntryRowProps {
  readonly entry: AuditFact
  readonly reader: Audience
  /** Where the account is shown as it was right after it. */
  readonly href: string | undefined
  /** Where other events of the account are. */
  readonly hrefOf: (number: number) => string | undefined
  /** The moment that the page shows. */
  readonly isShown?: boolean
  /** It happened after the moment that the page shows. */
  readonly isLater?: boolean
  /** What else can be done with it. */
  readonly actions?: ReactNode
}

/** One event of a timeline: number, time, title, `from → to`, why and who; the request is behind 'Details'. */
export function AuditEntryRow({ entry, reader, href, hrefOf, isShown = false, isLater = false, actions }: AuditEntryRowProps) {
  return (
    <li aria-current={isShown || undefined} className={clsx('relative rounded-md py-3 pr-3 pl-6', isShown && 'bg-accent-soft')}>
      <span
        aria-hidden
        className={clsx(
          'absolute top-[18px] -left-[5px] size-2.5 rounded-full border-2 outline-4 outline-card',
          isShown ? 'border-accent bg-accent' : isLater ? 'border-edge bg-card' : 'border-edge bg-edge',
        )}
      />
      <AuditEntryText entry={entry} reader={reader} href={href} hrefOf={hrefOf} actions={actions} />
    </li>
  )
}

interface BalancesRowProps {
  /** The newest first. */
  readonly balances: readonly [AuditFact, ...AuditFact[]]
  /** The number of the moment that the page shows. */
  readonly shown: number
  readonly href: string | undefined
  readonly row: (entry: AuditFact) => ReactNode
}

/** The changes of balance and profit of one day in one line; its entries are behind a click. */
export function BalancesRow({ balances, shown, href, row }: BalancesRowProps) {
  const [newest] = balances
  const isShown = balances.some(({ number }) => number === shown)
  return (
    <li className="relative py-3 pr-3 pl-6">
      <span
        aria-hidden
        className={clsx(
          'absolute top-[18px] -left-[5px] size-2.5 rounded-full border-2 border-edge bg-card outline-4 outline-card',
          isShown && 'border-accent',
        )}
      />
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">Trading of the day</span>
        <Stamp number={newest.number} at={newest.at} more={formatDate(newest.at, 'exact')} href={href} />
      </p>
      <dl className="mt-1 flex flex-col gap-0.5 text-13">
        {['account.balance', 'account.profitLoss'].map((field) => {
          const change = changeOver(balances, field)
          return (
            change && (
              <div key={field} className="flex flex-wrap gap-x-2">
                <dt className="text-muted">{labelOf(field)}</dt>
                <dd>
                  {formatValue(field, change.from)} <span aria-label="to">→</span> <span className="font-medium">{formatValue(field, change.to)}</span>
                </dd>
              </div>
            )
          )
        })}
      </dl>
      <details className="mt-1" open={isShown}>
        <summary className="w-fit cursor-pointer rounded-sm text-12 text-muted hover:text-ink">{balances.length} entries</summary>
        <ol className="mt-1 ml-1.5 border-l border-line">{balances.map(row)}</ol>
      </details>
    </li>
  )
}

/** The content of an event, without its place on a timeline. */
export function AuditEntryText({ entry, reader, href, hrefOf, actions }: Pick<AuditEntryRowProps, 'entry' | 'reader' | 'href' | 'hrefOf' | 'actions'>) {
  const { number, at, type, actor, changes, reason, evidence, corrects, requestId } = entry
  const part = subjectSuffixOf(entry)
  // A reason that is a field as well, such as that of a ban, is shown once.
  const described = describeChanges(changes).filter(({ to }) => reason === null || to !== reason)
  const why = reasonOf(entry)
  return (
    <>
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">
          {titleOf(type, reader)}
          {part !== undefined && <span className="font-mono text-12 font-normal text-muted"> {part}</span>}
        </span>
        <Stamp number={number} at={at} more={formatDate(at, 'exact')} href={href} />
      </p>
      {described.length > 0 && (
        <dl className="mt-1 flex flex-col gap-0.5 text-13">
          {described.map(({ field, label, from, to }) => (
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
      )}
      {why !== null && (
        <p className="mt-1 text-13 [overflow-wrap:anywhere] whitespace-pre-line">
          <span className="text-muted">Why: </span>
          {why}
        </p>
      )}
      {evidence && (
        <p className="mt-1 text-13 [overflow-wrap:anywhere]">
          <span className="text-muted">Evidence: </span>
          {formatEvidence(evidence)}
        </p>
      )}
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
          <span className="mt-1 inline-flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="inline-flex items-center gap-1">
              Request <CopyableId id={requestId} of={`the request of entry #${number}`} />
            </span>
            <span>
              Type <span className="font-mono">{type}</span>
            </span>
          </span>
        </details>
      </div>
    </>
  )
}

function CorrectionLink({ number, href }: { readonly number: number; readonly href: string | undefined }) {
  if (href === undefined) return <span className="font-mono">{eventNumber(number)}</span>
  return (
    <AddressLink href={href} className="rounded-sm font-mono underline decoration-edge/60 underline-offset-4 hover:decoration-ink">
      {eventNumber(number)}
    </AddressLink>
  )
}

/** Who did it. An auditor finds everything else that an administrator did behind the name. */
function ActorText({ actor, reader }: { readonly actor: AuditActor; readonly reader: Audience }) {
  const { word, name } = describeActor(actor, reader)
  if (name === undefined) return <span>{word}</span>
  if (reader === 'trader')
    return (
      <span>
        {word} <span className="font-mono">{name}</span>
      </span>
    )
  return (
    <span>
      {word}{' '}
      <AddressLink href={activityAddressOf(name)} className="rounded-sm text-ink underline decoration-edge/60 underline-offset-4 hover:decoration-ink">
        {name}
      </AddressLink>
    </span>
  )
}
