import { curveStepAfter } from '@visx/curve'
import { localPoint } from '@visx/event'
import { ParentSize } from '@visx/responsive'
import { scaleLinear, scaleTime } from '@visx/scale'
import { AreaClosed, LinePath } from '@visx/shape'
import { clsx } from 'clsx'
import { useState, type PointerEvent } from 'react'
import { formatDate } from '../../format/dates.ts'
import { formatMoney } from '../../format/money.ts'
import { ChartFrame } from '../../ui/chart-frame.tsx'
import { type Curve, type CurveMarker, type CurvePoint, daysOf } from './performance.ts'

const HEIGHT = 260
const margin = { top: 12, right: 8, bottom: 36, left: 64 }
/** How near to a fact pointing counts as pointing at it, in px. */
const NEAR = 6

/** The balance over time as an area, with marks where something was decided, and the same as a table for screen readers. */
export function BalanceChart({ curve }: { readonly curve: Curve }) {
  const [first, last] = [curve.points[0], curve.points.at(-1)]
  if (!first || !last) return null
  const label = `Account balance from ${day(first.at)} to ${day(last.at)}: from ${dollars(first.balance)} to ${dollars(last.balance)}`
  return (
    <ChartFrame label={label} height={HEIGHT} table={<Figures curve={curve} />}>
      <ParentSize debounceTime={50}>{({ width }) => (width > margin.left + 80 ? <Picture curve={curve} width={width} /> : null)}</ParentSize>
    </ChartFrame>
  )
}

function Picture({ curve: { points, markers }, width }: { readonly curve: Curve; readonly width: number }) {
  const [pointedAt, setPointedAt] = useState<number>()
  const balances = points.map(({ balance }) => balance)
  const [lowest, highest] = [Math.min(...balances), Math.max(...balances)]
  // Never so near that a small change looks like a large one.
  const space = Math.max((highest - lowest) * 0.12, highest * 0.005, 100)
  const [from, until] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const x = scaleTime<number>({ domain: [from, until], range: [margin.left, width - margin.right] })
  const y = scaleLinear<number>({ domain: [lowest - space, highest + space], range: [HEIGHT - margin.bottom, margin.top], nice: 4 })
  const bottom = HEIGHT - margin.bottom
  const xOf = ({ at }: { readonly at: number }) => x(at)
  const yOf = ({ balance }: CurvePoint) => y(balance)
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const place = localPoint(event)
    if (place) setPointedAt(Math.min(until, Math.max(from, x.invert(place.x).getTime())))
  }
  const short = until - from < 3 * 86_400_000
  return (
    <div className="relative">
      <svg width={width} height={HEIGHT} aria-hidden onPointerMove={point} onPointerLeave={() => setPointedAt(undefined)} className="block touch-pan-y">
        {y.ticks(4).map((tick) => (
          <g key={tick}>
            <line x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} className="stroke-line" />
            <text x={margin.left - 8} y={y(tick)} dy="0.32em" textAnchor="end" className="fill-muted text-12 tabular-nums">
              {whole(tick)}
            </text>
          </g>
        ))}
        {x.ticks(Math.max(3, Math.floor(width / 120))).map((tick) => (
          <text key={tick.getTime()} x={x(tick)} y={HEIGHT - 8} textAnchor="middle" className="fill-muted text-12 tabular-nums">
            {formatDate(tick, short ? 'stamp' : 'short')}
          </text>
        ))}
        <AreaClosed data={[...points]} x={xOf} y={yOf} yScale={y} curve={curveStepAfter} className="fill-accent/12" />
        <LinePath data={[...points]} x={xOf} y={yOf} curve={curveStepAfter} className="fill-transparent stroke-accent" strokeWidth={1.75} />
        {markers.map(({ at, number, label }) => (
          <g key={`${at} ${number} ${label}`}>
            <line x1={x(at)} x2={x(at)} y1={margin.top} y2={bottom} className="stroke-edge/50" strokeDasharray="2 3" />
            <circle cx={x(at)} cy={bottom} r={3.5} className="fill-card stroke-ink" strokeWidth={1.5} />
          </g>
        ))}
        {pointedAt !== undefined && (
          <>
            <line x1={x(pointedAt)} x2={x(pointedAt)} y1={margin.top} y2={bottom} className="stroke-ink" />
            <circle cx={x(pointedAt)} cy={y(balanceAt(points, pointedAt))} r={4} className="fill-accent stroke-card" strokeWidth={2} />
          </>
        )}
      </svg>
      {pointedAt !== undefined && (
        <Reading
          at={pointedAt}
          balance={balanceAt(points, pointedAt)}
          facts={markers.filter(({ at }) => Math.abs(x(at) - x(pointedAt)) <= NEAR)}
          left={x(pointedAt) < width / 2 ? x(pointedAt) + 12 : undefined}
          right={x(pointedAt) < width / 2 ? undefined : width - x(pointedAt) + 12}
        />
      )}
    </div>
  )
}

interface ReadingProps {
  readonly at: number
  readonly balance: number
  readonly facts: readonly CurveMarker[]
  readonly left: number | undefined
  readonly right: number | undefined
}

/** What stands where is pointed at. */
function Reading({ at, balance, facts, left, right }: ReadingProps) {
  return (
    <div aria-hidden className={clsx('pointer-events-none absolute top-2 max-w-60 rounded-md bg-ink px-2.5 py-1.5 text-12 text-paper shadow-float')} style={{ left, right }}>
      <p className="font-semibold tabular-nums">{dollars(balance)}</p>
      <p>{formatDate(new Date(at).toISOString(), 'stamp')}</p>
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
                <td>{formatDate(new Date(at).toISOString(), 'stamp')}</td>
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
