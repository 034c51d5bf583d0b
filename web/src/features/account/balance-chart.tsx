import { curveStepAfter } from '@visx/curve'
import { localPoint } from '@visx/event'
import { ParentSize } from '@visx/responsive'
import { scaleLinear, scaleTime } from '@visx/scale'
import { AreaClosed, LinePath } from '@visx/shape'
import { useState, type PointerEvent } from 'react'
import { formatDate } from '../../format/dates.ts'
import { formatMoney } from '../../format/money.ts'
import { ChartFrame } from '../../ui/chart-frame.tsx'
import { type Curve, type CurveMarker, type CurvePoint, daysOf } from './performance.ts'

const HEIGHT = 260
const margin = { top: 12, right: 8, bottom: 36, left: 64 }
const FLOOR = HEIGHT - margin.bottom
/** How near to a fact pointing counts as pointing at it, in px. */
const NEAR = 6
/** How much room the axis needs to name a day, or a day and time, in px. */
const NAME_WIDTH = { day: 120, time: 160 } as const

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
      <ParentSize debounceTime={50}>
        {({ width }) => (width > margin.left + 80 ? <Picture curve={curve} width={width} readAt={readAt} onRead={setReadAt} /> : null)}
      </ParentSize>
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
  const place =
    readAt === undefined
      ? last
      : Math.max(
          0,
          moments.findLastIndex((at) => at <= readAt),
        )
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

function Picture({ curve: { points, markers }, width, readAt, onRead }: ReadingProps & { readonly width: number }) {
  const balances = points.map(({ balance }) => balance)
  const [lowest, highest] = [Math.min(...balances), Math.max(...balances)]
  // Never so near that a small change looks like a large one.
  const space = Math.max((highest - lowest) * 0.12, highest * 0.005, 100)
  const [from, until] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const right = width - margin.right
  const x = scaleTime<number>({ domain: [from, until], range: [margin.left, right] })
  const y = scaleLinear<number>({ domain: [lowest - space, highest + space], range: [FLOOR, margin.top], nice: 4 })
  const xOf = ({ at }: { readonly at: number }) => x(at)
  const yOf = ({ balance }: CurvePoint) => y(balance)
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const place = localPoint(event)
    if (place) onRead(Math.min(until, Math.max(from, x.invert(place.x).getTime())))
  }
  const short = until - from < 3 * 86_400_000
  return (
    <div className="relative">
      <svg width={width} height={HEIGHT} aria-hidden onPointerMove={point} onPointerLeave={() => onRead(undefined)} className="block [touch-action:pan-y]">
        {y.ticks(4).map((cents) => (
          <g key={cents}>
            <line x1={margin.left} x2={right} y1={y(cents)} y2={y(cents)} className="stroke-line" />
            <text x={margin.left - 8} y={y(cents)} dy="0.32em" textAnchor="end" className="fill-muted text-12">
              {whole(cents)}
            </text>
          </g>
        ))}
        {x.ticks(Math.max(3, Math.floor(width / (short ? NAME_WIDTH.time : NAME_WIDTH.day)))).map((tick) => (
          <text key={tick.getTime()} x={x(tick)} y={HEIGHT - 8} textAnchor="middle" className="fill-muted text-12">
            {formatDate(tick, short ? 'stamp' : 'short')}
          </text>
        ))}
        <AreaClosed data={[...points]} x={xOf} y={yOf} yScale={y} curve={curveStepAfter} className="fill-accent/12" />
        <LinePath data={[...points]} x={xOf} y={yOf} curve={curveStepAfter} className="fill-transparent stroke-accent" strokeWidth={1.75} />
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
      {readAt !== undefined && (
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
    <div
      aria-hidden
      className="pointer-events-none absolute top-2 max-w-60 rounded-md bg-ink px-2.5 py-1.5 text-12 text-paper shadow-float"
      style={{ left, right }}
    >
      <p className="font-semibold">{dollars(balance)}</p>
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
