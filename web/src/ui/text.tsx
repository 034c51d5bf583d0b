import { clsx } from 'clsx'
import { Check, Copy } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Stamp as StampFields } from '../../../services/contract/stamp.ts'
import { formatDate, type DateFormat } from '../format/dates.ts'
import { formatMoney, formatProfit, signOf } from '../format/money.ts'
import { IconButton } from './button.tsx'
import { Tooltip } from './tooltip.tsx'

/** Money, dates, ids and stamps as they stand on every page. */

/** US dollars, in figures of one width. */
export function Money({ amount }: { readonly amount: string | number | null | undefined }) {
  return <span className="tabular-nums">{formatMoney(amount)}</span>
}

/** Green with a plus sign above zero, red otherwise. */
export function ProfitLoss({ amount }: { readonly amount: string | null | undefined }) {
  return <span className={clsx('tabular-nums', signOf(amount) === 'profit' ? 'text-good' : 'text-bad')}>{formatProfit(amount)}</span>
}

/** A date; pointing at it tells the exact time. */
export function DateText({ at, how }: { readonly at: string | null | undefined; readonly how: DateFormat }) {
  const text = formatDate(at, how)
  if (!at || text === 'N/A') return <span>{text}</span>
  // A day without a time has no exact time.
  if (!at.includes('T')) return <time dateTime={at} className="tabular-nums">{text}</time>
  return (
    <Tooltip content={formatDate(at, 'exact')}>
      <time dateTime={at} className="tabular-nums">
        {text}
      </time>
    </Tooltip>
  )
}

interface StampProps {
  /** The fact's number in the log, and when it was recorded. */
  readonly number: number
  readonly at: string
  /** Who and why. */
  readonly more?: ReactNode
  /** Opens the fact in the account's history. */
  readonly onOpen?: (() => void) | undefined
}

/** The stamp of a decision: `#1042 · 3 Mar 14:07`. Pointing at it tells who and why. */
export function Stamp({ number, at, more, onOpen }: StampProps) {
  const text = `#${number} · ${formatDate(at, 'stamp')}`
  const look = 'inline-block rounded-sm font-mono text-12 whitespace-nowrap text-muted'
  const stamp = onOpen ? (
    <button type="button" className={clsx(look, 'hover:text-ink hover:underline')} onClick={onOpen}>
      {text}
    </button>
  ) : (
    // What tells more must be within reach of the keyboard.
    <span className={look} tabIndex={more === undefined ? undefined : 0}>
      {text}
    </span>
  )
  return more === undefined ? stamp : <Tooltip content={more}>{stamp}</Tooltip>
}

interface DecisionStampProps {
  /** As the server tells it; nothing is shown where nothing was decided yet. */
  readonly stamp: StampFields | null | undefined
  /** The reason or notes that came with the decision. */
  readonly why?: string | null | undefined
}

/** The stamp of a decision as the server tells it, with who decided, and why where that is known. */
export function DecisionStamp({ stamp, why }: DecisionStampProps) {
  if (!stamp) return null
  const more = (
    <>
      {formatDate(stamp.at, 'exact')}
      <br />
      By {deciderOf(stamp)}
      {why ? `: ${why}` : ''}
    </>
  )
  return <Stamp number={stamp.number} at={stamp.at} more={more} />
}

function deciderOf({ by, name }: StampFields): string {
  if (by === 'trader') return 'the trader'
  if (by === 'system') return 'Proofdesk'
  return name === null ? 'an administrator' : `${name} (administrator)`
}

/** A short id that can be copied whole. */
export function CopyableId({ id, of }: { readonly id: string; readonly of: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(id)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <span className="inline-flex items-center gap-0.5">
      <span className="font-mono text-12" title={id}>
        {id.length > 10 ? `${id.slice(0, 8)}…` : id}
      </span>
      <IconButton label={copied ? 'Copied' : `Copy the id of ${of}`} className="size-7! text-muted" onClick={() => void copy()}>
        {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </IconButton>
    </span>
  )
}
