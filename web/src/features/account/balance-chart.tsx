import { useEffect, useRef, useState, type PointerEvent, type RefObject } from 'react'
import { formatDate } from '../../format/dates.ts'
import { formatMoney } from '../../format/money.ts'
import { ChartFrame } from '../../ui/chart-frame.tsx'
import { roundMarks, timeMarks } from './axes.ts'
import { type Curve, type CurveMarker, type CurvePoint, daysOf } from './performance.ts'

// Drawn by ourselves: it has one curve of steps, and a library of charts would be a tenth of what a trader's first page loads.

const HEIGHT = 260
const margin = { top: 12, right: 8, bottom: 36, left: 64 }
const FLOOR = HEIGHT - margin.bottom
/** How near to a fact pointing counts as pointing at it, in px. */
const NEAR = 6
/** How much room the axis needs to name a day, or a day and time, in px. */
const NAME_WIDTH = { day: 50, time: 100 } as const

/**
 * The balance over time as an area, with marks where something was decided. What stands where is read by pointing at it,
 * or by the arrow keys; and the same is there as a table for screen readers.
 */
export function BalanceChart({ curve }: { readonly curve: Curve }) {
  const [readAt, setReadAt] = useState<number>()
  const [first, last] = [curve.points[0], curve.points.at(-1)]
  if (!first || !last) return null
  const label = `Account balance from ${day(first.at)} to ${day(last.at)}: from ${dollars(first.balance)} to ${dollars(last.balance)}`
  return (
    <ChartFrame label={label} height={HEIGHT} table={<Figures curve={curve} />} reader={<Reader curve={curve} readAt={readAt} onRead={setReadAt} />}>
      <Picture curve={curve} readAt={readAt} onRead={setReadAt} />
    </ChartFrame>
  )
}

interface ReadingProps {
  readonly curve: Curve
  /** The moment that is read; undefined while nobody does. */
  readonly readAt: number | undefined
  readonly onRead: (at: number | undefined) => void
}

/** Goes with the arrow keys from one change to the next. The browser's own slider: it says by itself where it stands. */
function Reader({ curve: { points, markers }, readAt, onRead }: ReadingProps) {
  const moments = [...new Set([...points, ...markers].map(({ at }) => at))].sort((a, b) => a - b)
  const last = moments.length - 1
  const place = readAt === undefined ? last : Math.max(0, moments.findLastIndex((at) => at <= readAt))
  const at = moments[place] ?? 0
  const facts = markers.filter((marker) => marker.at === at).map(({ number, label }) => `#${number} ${label}`)
  return (
    <input
      type="range"
      className="sr-only"
      aria-label="Read the balance moment by moment"
      aria-valuetext={[stampOf(at), dollars(balanceAt(points, at)), ...facts].join(', ')}
      min={0}
      max={last}
      value={place}
      onChange={(event) => onRead(moments[event.target.valueAsNumber])}
      onFocus={() => onRead(moments[last])}
      onBlur={() => onRead(undefined)}
    />
  )
}

function Picture({ curve: { points, markers }, readAt, onRead }: ReadingProps) {
  const frame = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const balances = points.map(({ balance }) => balance)
  const [lowest, highest] = [Math.min(...balances), Math.max(...balances)]
  // Never so near that a small change looks like a large one.
  const space = Math.max((highest - lowest) * 0.12, highest * 0.005, 100)
  const figures = roundMarks(lowest - space, highest + space, 4)
  const [bottom, top] = [figures[0] ?? 0, figures.at(-1) ?? 1]
  const [from, until] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const length = Math.max(until - from, 1)
  const right = width - margin.right
  const x = (at: number) => margin.left + ((at - from) / length) * (right - margin.left)
  const y = (cents: number) => FLOOR - ((cents - bottom) / (top - bottom)) * (FLOOR - margin.top)
  const point = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const share = (clientX - currentTarget.getBoundingClientRect().left - margin.left) / (right - margin.left)
    onRead(from + Math.min(1, Math.max(0, share)) * length)
  }
  // A balance stays what it is until it changes.
  const line = points.map(({ at, balance }, index) => (index === 0 ? `M${x(at)},${y(balance)}` : `H${x(at)}V${y(balance)}`)).join('')
  const short = until - from < 3 * 86_400_000
  return (
    <div ref={frame} className="relative h-full">
      {width > margin.left + 80 && (
        <svg width={width} height={HEIGHT} aria-hidden onPointerMove={point} onPointerLeave={() => onRead(undefined)} className="block touch-pan-y">
          {figures.map((cents) => (
            <g key={cents}>
              <line x1={margin.left} x2={right} y1={y(cents)} y2={y(cents)} className="stroke-line" />
              <text x={margin.left - 8} y={y(cents)} dy="0.32em" textAnchor="end" className="fill-muted text-12 tabular-nums">
                {whole(cents)}
              </text>
            </g>
          ))}
          {timeMarks(from, until, Math.floor((right - margin.left) / (short ? NAME_WIDTH.time : NAME_WIDTH.day))).map((at) => (
            <text key={at} x={x(at)} y={HEIGHT - 8} textAnchor="middle" className="fill-muted text-12 tabular-nums">
              {formatDate(new Date(at), short ? 'stamp' : 'short')}
            </text>
          ))}
          <path d={`${line}V${FLOOR}H${margin.left}Z`} className="fill-accent/12" />
          <path d={line} className="fill-transparent stroke-accent" strokeWidth={1.75} />
          {markers.map(({ at, number, label }) => (
            <g key={`${at} ${number} ${label}`}>
              <line x1={x(at)} x2={x(at)} y1={margin.top} y2={FLOOR} className="stroke-edge/50" strokeDasharray="2 3" />
              <circle cx={x(at)} cy={FLOOR} r={3.5} className="fill-card stroke-ink" strokeWidth={1.5} />
            </g>
          ))}
          {readAt !== undefined && (
            <>
              <line x1={x(readAt)} x2={x(readAt)} y1={margin.top} y2={FLOOR} className="stroke-ink" />
              <circle cx={x(readAt)} cy={y(balanceAt(points, readAt))} r={4} className="fill-accent stroke-card" strokeWidth={2} />
            </>
          )}
        </svg>
      )}
      {width > margin.left + 80 && readAt !== undefined && (
        <Readout
          at={readAt}
          balance={balanceAt(points, readAt)}
          facts={markers.filter(({ at }) => Math.abs(x(at) - x(readAt)) <= NEAR)}
          left={x(readAt) < width / 2 ? x(readAt) + 12 : undefined}
          right={x(readAt) < width / 2 ? undefined : width - x(readAt) + 12}
        />
      )}
    </div>
  )
}

/** How wide an element is, in px; 0 until that is known. */
function useWidth(frame: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!frame.current) return
    const watch = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)))
    watch.observe(frame.current)
    return () => watch.disconnect()
  }, [frame])
  return width
}

interface ReadoutProps {
  readonly at: number
  readonly balance: number
  readonly facts: readonly CurveMarker[]
  readonly left: number | undefined
  readonly right: number | undefined
}

/** What stands at the moment that is read. */
function Readout({ at, balance, facts, left, right }: ReadoutProps) {
  return (
    <div aria-hidden className="pointer-events-none absolute top-2 max-w-60 rounded-md bg-ink px-2.5 py-1.5 text-12 text-paper shadow-float" style={{ left, right }}>
      <p className="font-semibold tabular-nums">{dollars(balance)}</p>
      <p>{stampOf(at)}</p>
      {facts.slice(0, 4).map(({ number, label, at: when }) => (
        <p key={`${when} ${number}`} className="mt-0.5">
          <span className="font-mono">#{number}</span> {label}
        </p>
      ))}
      {facts.length > 4 && <p className="mt-0.5">and {facts.length - 4} more</p>}
    </div>
  )
}

/** The same as tables: each day on which the balance changed, and what was decided. */
function Figures({ curve }: { readonly curve: Curve }) {
  return (
    <>
      <table>
        <caption>Balance at the end of each day on which it changed</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Balance</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {daysOf(curve).map(({ day: midnight, closing, result }) => (
            <tr key={midnight}>
              <th scope="row">{day(midnight)}</th>
              <td>{dollars(closing)}</td>
              <td>{dollars(result)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {curve.markers.length > 0 && (
        <table>
          <caption>What was decided in this time</caption>
          <thead>
            <tr>
              <th scope="col">Fact</th>
              <th scope="col">When</th>
              <th scope="col">What</th>
            </tr>
          </thead>
          <tbody>
            {curve.markers.map(({ at, number, label, why }) => (
              <tr key={`${at} ${number} ${label}`}>
                <th scope="row">#{number}</th>
                <td>{stampOf(at)}</td>
                <td>
                  {label}
                  {why === null ? '' : `: ${why}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

function balanceAt(points: readonly CurvePoint[], at: number): number {
  return (points.findLast((point) => point.at <= at) ?? points[0])?.balance ?? 0
}

function stampOf(at: number): string {
  return formatDate(new Date(at), 'stamp')
}

function day(at: number): string {
  return formatDate(new Date(at).toISOString(), 'words')
}

function dollars(cents: number): string {
  return formatMoney(cents / 100)
}

/** On the axis there is no room for cents, and they would say nothing. */
function whole(cents: number): string {
  return formatMoney(Math.round(cents / 100)).slice(0, -'.00'.length)
}
