import { clsx } from 'clsx'
import { createContext, type ReactNode, use } from 'react'
import type { Stamp as StampFields } from '../../../services/api/stamp-schemas.ts'
import { formatDate, type DateFormat } from '../format/dates.ts'
import { formatProfit, signOf } from '../format/money.ts'
import { AddressLink } from './address-link.tsx'
import { CopyButton } from './copy-button.tsx'
import { Tooltip } from './tooltip.tsx'

/** Profits, dates, ids and stamps as they stand on every page. */

/** Green with a plus sign above zero, red otherwise. */
export function ProfitLoss({ amount }: { readonly amount: string | null | undefined }) {
  return <span className={signOf(amount) === 'profit' ? 'text-good' : 'text-bad'}>{formatProfit(amount)}</span>
}

/** A date; pointing at it tells the exact time. */
export function DateText({ at, how }: { readonly at: string | null | undefined; readonly how: DateFormat }) {
  const text = formatDate(at, how)
  if (!at || text === 'N/A') return text
  // A day without a time has no exact time.
  if (!at.includes('T')) return <time dateTime={at}>{text}</time>
  return (
    <Tooltip content={formatDate(at, 'exact')}>
      <time dateTime={at}>{text}</time>
    </Tooltip>
  )
}

/** Where the facts of an account can be looked at. `of` is the user; on a trader's own pages there is only one. */
export type AuditEntryAddress = (number: number, of?: string) => string | undefined

/** Says for all stamps of a page where their facts are. For the frames around pages. */
export const AuditEntryAddressContext = createContext<AuditEntryAddress>(() => undefined)

interface StampProps {
  /** The fact's number in the log, and when it was recorded. */
  readonly number: number
  readonly at: string
  /** Who and why. */
  readonly more?: ReactNode
  /** Where the fact is in the account's history. */
  readonly href?: string | undefined
}

/** The stamp of a decision: `#1042 · 3 Mar 14:07`. Pointing at it tells who and why, following it leads to the fact. */
export function Stamp({ number, at, more, href }: StampProps) {
  const text = `#${number} · ${formatDate(at, 'stamp')}`
  const look = 'inline-block rounded-sm font-mono text-12 whitespace-nowrap text-muted'
  const stamp =
    href === undefined ? (
      // What tells more must be within reach of the keyboard.
      <span className={look} tabIndex={more === undefined ? undefined : 0}>
        {text}
      </span>
    ) : (
      <AddressLink href={href} className={clsx(look, 'underline decoration-edge/60 decoration-dotted underline-offset-4 hover:text-ink hover:decoration-ink')}>
        {text}
      </AddressLink>
    )
  return more === undefined ? stamp : <Tooltip content={more}>{stamp}</Tooltip>
}

interface DecisionStampProps {
  /** As the server tells it; nothing is shown where nothing was decided yet. */
  readonly stamp: (StampFields & { readonly reason?: string | null }) | null | undefined
  /** The reason or notes that came with the decision, where the stamp itself tells none. */
  readonly why?: string | null | undefined
  /** Whom it is about; on a trader's own pages that goes without saying. */
  readonly of?: string | undefined
}

/** The stamp of a decision as the server tells it, with who decided, and why where that is known. */
export function DecisionStamp({ stamp, why, of }: DecisionStampProps) {
  const factAddress = use(AuditEntryAddressContext)
  if (!stamp) return null
  const reason = stamp.reason ?? why
  const more = (
    <>
      {formatDate(stamp.at, 'exact')}
      <br />
      By {deciderOf(stamp)}
      {reason ? `: ${reason}` : ''}
    </>
  )
  return <Stamp number={stamp.number} at={stamp.at} more={more} href={factAddress(stamp.number, of)} />
}

function deciderOf({ by, name }: StampFields): string {
  if (by === 'trader') return 'the trader'
  if (by === 'system') return 'Proofdesk'
  return name === null ? 'an administrator' : `${name} (administrator)`
}

/**
 * A short id that can be copied whole. All of it stands there as text; the middle is only out of sight: the ids of
 * one trader's payouts begin alike and differ in their ends.
 */
export function CopyableId({ id, of }: { readonly id: string; readonly of: string }) {
  const [, start = id, end = ''] = /^(.+?)(-[a-z]\d+)$/.exec(id) ?? []
  return (
    <span className="inline-flex items-center gap-0.5">
      <span className="inline-flex font-mono text-12" title={id}>
        <span className="max-w-[6ch] overflow-hidden text-ellipsis whitespace-nowrap">{start}</span>
        {end}
      </span>
      <CopyButton text={id} label={`Copy the id of ${of}`} />
    </span>
  )
}
