import { clsx } from 'clsx'
import { Fragment, type ReactNode, useContext } from 'react'
import type { Stamp as StampFields } from '#services/framework/api/stamp-schemas.ts'
import { AccountInAddress, ReadByStaff } from '@/account-in-address.ts'
import { auditAddress, ownHistoryAddress } from '@/addresses.ts'
import { eventNumber } from '@/format/counts.ts'
import { formatDate, type DateFormat } from '@/format/dates.ts'
import { formatProfit, signOf, toneOf } from '@/format/money.ts'
import { AddressLink } from './address-link.tsx'
import { CopyButton } from './copy-button.tsx'
import { Tooltip } from './tooltip.tsx'

/** Profits, dates, ids and stamps. */

/** The profit or loss of an account: green with a plus sign above zero, red otherwise (specification §4). */
export function ProfitLoss({ amount }: { readonly amount: string | null | undefined }) {
  return <span className={signOf(amount) === 'profit' ? 'text-good' : 'text-bad'}>{formatProfit(amount)}</span>
}

/** A traded or booked amount: green with a plus sign above zero, red below. Zero has no colour. */
export function Result({ amount }: { readonly amount: string }) {
  const tone = toneOf(amount)
  return <span className={clsx(tone && resultTones[tone])}>{formatProfit(amount)}</span>
}

const resultTones = { good: 'text-good', bad: 'text-bad' } as const

/** An email that breaks after its @ and dots first, and anywhere only where a part alone is too long. */
export function EmailText({ email }: { readonly email: string }) {
  return (
    <span className="[overflow-wrap:anywhere]">
      {email.split(/(?<=[@.])/).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  )
}

/** A date; its tooltip shows the exact time. */
export function DateText({ at, how }: { readonly at: string | null | undefined; readonly how: DateFormat }) {
  const text = formatDate(at, how)
  if (!at || text === 'N/A') return <>{text}</>
  // A day without a time has no exact time.
  if (!at.includes('T')) return <time dateTime={at}>{text}</time>
  return (
    <Tooltip content={formatDate(at, 'exact')}>
      <time dateTime={at}>{text}</time>
    </Tooltip>
  )
}

interface StampProps {
  /** The event's number in the log, and its time. */
  readonly number: number
  readonly at: string
  /** Shown in the tooltip: by whom and why. */
  readonly more: ReactNode
  /** The entry in the account's history. */
  readonly href: string | undefined
  /** Only its day is visible; the tooltip and assistive technology have all of it. */
  readonly quiet?: boolean
}

/**
 * The stamp of a decision: `#1042 · 3 Mar 14:07 UTC`. Its tooltip shows by whom and why; it links to the entry in the
 * history.
 */
export function Stamp({ number, at, more, href, quiet = false }: StampProps) {
  const stamped = `${eventNumber(number)} · ${formatDate(at, 'stamp')}`
  const text = quiet ? (
    <>
      <span aria-hidden>{formatDate(at, 'short')}</span>
      <span className="sr-only">{stamped}</span>
    </>
  ) : (
    stamped
  )
  const look = clsx(
    'relative inline-block rounded-sm text-12 whitespace-nowrap text-muted enlarged:whitespace-normal',
    !quiet && 'font-mono',
  )
  const underline = clsx(
    'underline decoration-dotted underline-offset-4',
    quiet ? 'decoration-transparent' : 'decoration-edge/60',
  )
  return (
    <Tooltip content={more}>
      {href === undefined ? (
        // The tooltip must be reachable by keyboard.
        <span className={look} tabIndex={0}>
          {text}
        </span>
      ) : (
        <AddressLink href={href} className={clsx(look, underline, 'hover:text-ink hover:decoration-ink')}>
          {text}
        </AddressLink>
      )}
    </Tooltip>
  )
}

interface DecisionStampProps {
  /** From the server; null before the first decision. */
  readonly stamp: (StampFields & { readonly reason?: string | null }) | null | undefined
  /** The reason or notes, unless the stamp itself has a reason. */
  readonly why?: string | null | undefined
  /** The user's id, on administrators' pages; without one the stamp leads to the trader's own history. */
  readonly of?: string | undefined
  /** Number and time are visible, not just the day. */
  readonly full?: boolean
}

/** The stamp of a decision from the server, with the decider and the reason if known. */
export function DecisionStamp({ stamp, why, of: named, full = false }: DecisionStampProps) {
  const account = useContext(AccountInAddress)
  const read = useContext(ReadByStaff)
  const of = named ?? read
  if (!stamp) return null
  const reason = stamp.reason ?? why
  const more = (
    <>
      {eventNumber(stamp.number)} · {formatDate(stamp.at, 'exact')}
      <br />
      By {deciderOf(stamp)}
      {reason ? `: ${reason}` : ''}
    </>
  )
  const href = of === undefined ? ownHistoryAddress(stamp.number, account) : auditAddress(stamp.number, of)
  return <Stamp number={stamp.number} at={stamp.at} more={more} href={href} quiet={!full} />
}

interface StampedProps extends DecisionStampProps {
  /** In a table: at the right on a phone, and without the stamp where columns are narrow. */
  readonly inTable?: boolean
  readonly children: ReactNode
}

/** A decision, and its stamp. */
export function Stamped({ inTable = false, children, ...stamp }: StampedProps) {
  return (
    <span className={clsx('inline-flex flex-wrap items-center gap-x-2', inTable && 'max-md:justify-end')}>
      {children}
      <span className={inTable ? 'md:max-xl:hidden' : 'contents'}>
        <DecisionStamp {...stamp} />
      </span>
    </span>
  )
}

function deciderOf({ by, name }: StampFields): string {
  if (by === 'trader') return 'the trader'
  if (by === 'system') return 'Proofdesk'
  if (by === 'program') return name === null ? "the firm's system" : `${name} (program)`
  return name === null ? 'an administrator' : `${name} (administrator)`
}

/** The beginning of a SHA-256, which is compared by copying it; its tooltip has all of it. */
export function ShortHash({ hash, of }: { readonly hash: string; readonly of: string }) {
  return (
    <span className="inline-flex items-center gap-0.5">
      <span className="font-mono text-12" title={hash}>
        {hash.slice(0, 8)}…
      </span>
      <CopyButton text={hash} label={`Copy the SHA-256 of ${of}`} />
    </span>
  )
}

/**
 * A shortened id that can be copied in full. It hides the middle, because the ids of one trader's payouts differ only
 * at the end.
 */
export function CopyableId({ id, of }: { readonly id: string; readonly of: string }) {
  const [, start = id, end = ''] = /^(.+?)(-[a-z]\d+)$/.exec(id) ?? []
  return (
    <span className="inline-flex items-center gap-0.5">
      <span className="relative font-mono text-12 whitespace-nowrap" title={id}>
        <span aria-hidden>{start.length > 6 ? `${start.slice(0, 5)}…${end}` : id}</span>
        <span className="sr-only">{id}</span>
      </span>
      <CopyButton text={id} label={`Copy the id of ${of}`} />
    </span>
  )
}
