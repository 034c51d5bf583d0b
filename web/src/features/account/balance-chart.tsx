import { useCallback, useState, type PointerEvent } from 'react'
import { eventNumber } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { formatCents, formatMoney, formatSignedCents } from '../../format/money.ts'
import type { Level } from './account-end.ts'
import { linearScale, rowsOf, roundValues, spread, timeTicks } from './chart-scale.ts'
import { balancesOf, type Curve, type CurveMarker, daysOf, tradedOf, type Value } from './performance.ts'
import { DAY } from './room-left.ts'

const HEIGHT = 260
const margin = { top: 36, right: 8, bottom: 36, left: 64 }
const FLOOR = HEIGHT - margin.bottom
/** The pointer reads the events within this distance, in px. */
const NEAR = 6
/** Distance between the labels of the time axis, and half the width of one, in px. */
const LABELS = { day: { distance: 120, half: 22 }, time: { distance: 170, half: 50 } } as const
/** The width of a letter of a label and the height of its line, in px. */
const LETTER = 6.4
const LINE = 14
/** Labels of payouts and phases take at most this many lines; a label without space is read by pointer or arrow keys. */
const LABEL_LINES = 2

/** What a chart draws: the balance, or what was traded since its first moment. */
const kinds = {
  balance: { name: 'Account balance', read: 'Read the balance moment by moment', valuesOf: balancesOf, format: formatCents, base: -Infinity },
  traded: { name: 'Profit and loss', read: 'Read profit and loss moment by moment', valuesOf: tradedOf, format: formatSignedCents, base: 0 },
} as const

export type Shown = keyof typeof kinds

interface BalanceChartProps {
  readonly curve: Curve
  readonly show: Shown
  readonly levels: readonly Level[]
}

/**
 * The balance, or what was traded, over time as an area, with a mark at each decision, a labelled line at each payout and
 * phase, and the levels at which the account ends or reaches its target. The pointer or the arrow keys read single moments;
 * screen readers get the same figures as a table.
 */
export function BalanceChart({ curve, show, levels }: BalanceChartProps) {
  const [readAt, setReadAt] = useState<number>()
  const { ref, width } = useWidth()
  const kind = kinds[show]
  const values = kind.valuesOf(curve)
  const [first, last] = [values[0], values.at(-1)]
  if (!first || !last) return null
  const label = `${kind.name} from ${day(first.at)} to ${day(last.at)}: from ${kind.format(first.cents)} to ${kind.format(last.cents)}`
  const reading = { values, markers: curve.markers, kind, readAt, onRead: setReadAt }
  return (
    <figure className="relative min-w-0 rounded-sm outline-offset-2 outline-accent has-[input:focus-visible]:outline-2">
      {/* Outside the image, whose content screen readers skip. */}
      <Reader {...reading} />
      <div role="img" aria-label={label} style={{ height: HEIGHT }} ref={ref}>
        {width > margin.left + 80 && <Picture {...reading} levels={levels} width={width} />}
      </div>
      <figcaption className="sr-only">
        <Figures curve={curve} levels={levels} />
      </figcaption>
    </figure>
  )
}

/** The width of an element in px, as it changes. */
function useWidth() {
  const [width, setWidth] = useState(0)
  const ref = useCallback((element: HTMLElement | null) => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    if (element) observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}

interface ReadingProps {
  readonly values: readonly Value[]
  readonly markers: readonly CurveMarker[]
  readonly kind: (typeof kinds)[Shown]
  /** The moment that is read, if any. */
  readonly readAt: number | undefined
  readonly onRead: (at: number | undefined) => void
}

/** Moves from one change to the next by arrow keys: a native slider, which announces its value. */
function Reader({ values, markers, kind, readAt, onRead }: ReadingProps) {
  const moments = [...new Set([...values, ...markers].map(({ at }) => at))].sort((a, b) => a - b)
  const last = moments.length - 1
  const readIndex = moments.findLastIndex((moment) => moment <= (readAt ?? Infinity))
  const index = Math.max(0, readIndex)
  const at = moments[index] ?? 0
  const events = markers.filter((marker) => marker.at === at).map(({ number, label }) => `${eventNumber(number)} ${label}`)
  return (
    <input
      type="range"
      className="sr-only"
      aria-label={kind.read}
      aria-valuetext={[stampOf(at), kind.format(valueAt(values, at)), ...events].join(', ')}
      min={0}
      max={last}
      value={index}
      onChange={(event) => onRead(moments[event.target.valueAsNumber])}
      onFocus={() => onRead(moments[last])}
      onBlur={() => onRead(undefined)}
    />
  )
}

interface PictureProps extends ReadingProps {
  readonly levels: readonly Level[]
  readonly width: number
}

function Picture({ values, markers, kind, levels, width, readAt, onRead }: PictureProps) {
  const drawn = [...values, ...levels].map(({ cents }) => cents)
  const [lowest, highest] = [Math.min(...drawn), Math.max(...drawn)]
  // Enough space around the curve that a small change does not look like a large one.
  const space = Math.max((highest - lowest) * 0.12, highest * 0.005, 100)
  const [from, until] = [values[0]?.at ?? 0, values.at(-1)?.at ?? 1]
  const right = width - margin.right
  const axis = roundValues(lowest === kind.base ? lowest : lowest - space, highest + space, 4)
  const x = linearScale([from, until], [margin.left, right])
  const y = linearScale([axis[0] ?? 0, axis.at(-1) ?? 1], [FLOOR, margin.top])
  const momentAt = linearScale([margin.left, right], [from, until])
  // A value holds until it changes: the line is made of steps.
  const line = values.map(({ at, cents }, index) => (index === 0 ? `M${x(at)},${y(cents)}` : `H${x(at)}V${y(cents)}`)).join('')
  const point = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) =>
    onRead(Math.min(until, Math.max(from, momentAt(clientX - currentTarget.getBoundingClientRect().left))))
  const short = until - from < 3 * DAY
  const labels = short ? LABELS.time : LABELS.day
  const named = markers.flatMap((marker) => {
    const name = nameOf(marker)
    return name === undefined ? [] : [{ ...marker, name, start: Math.min(x(marker.at) + 4, right - name.length * LETTER) }]
  })
  const rows = rowsOf(
    named.map(({ start, name }) => [start, start + name.length * LETTER + 6]),
    LABEL_LINES,
  )
  const levelTexts = levels.map(({ label, cents }) => `${label} ${whole(cents)}`)
  const heights = spread(
    // The account is above its limits, so their labels are below the lines.
    levels.map(({ cents, tone }) => y(cents) + (tone === 'bad' ? 12 : -4)),
    LINE,
    FLOOR - 4,
  )
  return (
    <div className="relative">
      <svg width={width} height={HEIGHT} aria-hidden onPointerMove={point} onPointerLeave={() => onRead(undefined)} className="block [touch-action:pan-y]">
        {axis.map((cents) => (
          <g key={cents}>
            <line x1={margin.left} x2={right} y1={y(cents)} y2={y(cents)} className="stroke-line" />
            <text x={margin.left - 8} y={y(cents)} dy="0.32em" textAnchor="end" className="fill-muted text-12">
              {whole(cents)}
            </text>
          </g>
        ))}
        {timeTicks(from, until, Math.max(2, Math.floor((right - margin.left) / labels.distance)))
          .filter((tick) => x(tick.getTime()) <= right - labels.half)
          .map((tick) => (
            <text key={tick.getTime()} x={x(tick.getTime())} y={HEIGHT - 8} textAnchor="middle" className="fill-muted text-12">
              {formatDate(tick, short ? 'stamp' : 'short', 'utc')}
            </text>
          ))}
        <path d={`${line}V${Math.min(FLOOR, y(kind.base))}H${margin.left}Z`} className="fill-accent/12" />
        <path d={line} className="fill-transparent stroke-accent" strokeWidth={1.75} />
        {markers.map(({ at, number, label }) => (
          <path key={`${at} ${number} ${label}`} d={`M${x(at)},${FLOOR}v5`} className="stroke-edge" />
        ))}
        {named.map(({ at, number, name, start, type }, index) => {
          const row = rows[index]
          return (
            <g key={`${at} ${number}`} className={type === 'AccountStatusChanged' ? 'fill-bad stroke-bad' : 'fill-muted stroke-edge'}>
              <line x1={x(at)} x2={x(at)} y1={margin.top} y2={FLOOR} strokeDasharray="2 3" strokeOpacity={0.7} />
              {row !== undefined && <Label x={start} y={LINE * (row + 1) - 2} text={name} />}
            </g>
          )
        })}
        {levels.map(({ label, cents, from: since, tone }, index) => (
          <g key={label} className={tone === 'bad' ? 'fill-bad stroke-bad' : 'fill-good stroke-good'}>
            <line x1={x(Math.max(since, from))} x2={right} y1={y(cents)} y2={y(cents)} strokeDasharray="6 4" />
            <Label x={right} y={heights[index] ?? 0} text={levelTexts[index] ?? ''} anchor="end" />
          </g>
        ))}
        {readAt !== undefined && (
          <>
            <line x1={x(readAt)} x2={x(readAt)} y1={margin.top} y2={FLOOR} className="stroke-ink" />
            <circle cx={x(readAt)} cy={y(valueAt(values, readAt))} r={4} className="fill-accent stroke-card" strokeWidth={2} />
          </>
        )}
      </svg>
      {readAt !== undefined && (
        <Readout
          at={readAt}
          value={kind.format(valueAt(values, readAt))}
          events={markers.filter(({ at }) => Math.abs(x(at) - x(readAt)) <= NEAR)}
          style={x(readAt) < width / 2 ? { left: x(readAt) + 12 } : { right: width - x(readAt) + 12 }}
        />
      )}
    </div>
  )
}

interface LabelProps {
  readonly x: number
  readonly y: number
  readonly text: string
  readonly anchor?: 'end'
}

/** A text on the chart, in the colour of its group and readable over any line. */
function Label({ x, y, text, anchor }: LabelProps) {
  return (
    <text x={x} y={y} textAnchor={anchor} className="stroke-card text-12" strokeWidth={4} strokeLinejoin="round" paintOrder="stroke">
      {text}
    </text>
  )
}

/** The label of a marker that changes the balance or ends the account: a payout, a phase, a breach. */
function nameOf({ type, label }: CurveMarker): string | undefined {
  if (type === 'PayoutApproved') return `Payout ${formatMoney(label.replace(/^.*\$/, ''))}`
  if (type === 'PhaseChanged') return label.replace(/^.* to /, '')
  return type === 'AccountStatusChanged' && label.endsWith(' to Breached') ? 'Breached' : undefined
}

interface ReadoutProps {
  readonly at: number
  readonly value: string
  readonly events: readonly CurveMarker[]
  readonly style: { readonly left: number } | { readonly right: number }
}

/** The value and the events at the moment that is read. */
function Readout({ at, value, events, style }: ReadoutProps) {
  return (
    <div aria-hidden className="pointer-events-none absolute top-2 max-w-60 rounded-md bg-ink px-2.5 py-1.5 text-12 text-paper shadow-float" style={style}>
      <p className="font-semibold">{value}</p>
      <p>{stampOf(at)}</p>
      {events.slice(0, 4).map(({ number, label, at: when }) => (
        <p key={`${when} ${number}`} className="mt-0.5">
          <span className="font-mono">{eventNumber(number)}</span> {label}
        </p>
      ))}
      {events.length > 4 && <p className="mt-0.5">and {events.length - 4} more</p>}
    </div>
  )
}

/** The same figures as tables: each day on which the balance changed, the decisions, and the levels. */
function Figures({ curve, levels }: Pick<BalanceChartProps, 'curve' | 'levels'>) {
  const days = daysOf(curve).map(({ day: midnight, closing, result }) => [day(midnight), formatCents(closing), formatCents(result)])
  const decisions = curve.markers.map(({ at, number, label, why }) => [eventNumber(number), stampOf(at), why === null ? label : `${label}: ${why}`])
  const levelTexts = levels.map(({ label, cents }) => [label, formatCents(cents)])
  return (
    <>
      <FigureTable caption="Balance at the end of each day on which it changed" headings={['Day', 'Balance', 'Change']} rows={days} />
      <FigureTable caption="Decisions in this period" headings={['Entry', 'When', 'What']} rows={decisions} />
      <FigureTable caption="Limits and target" headings={['Level', 'Balance']} rows={levelTexts} />
    </>
  )
}

interface FigureTableProps {
  readonly caption: string
  readonly headings: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

function FigureTable({ caption, headings, rows }: FigureTableProps) {
  if (rows.length === 0) return null
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...others], index) => (
          <tr key={index}>
            <th scope="row">{first}</th>
            {others.map((text, column) => (
              <td key={column}>{text}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function valueAt(values: readonly Value[], at: number): number {
  return (values.findLast((value) => value.at <= at) ?? values[0])?.cents ?? 0
}

function stampOf(at: number): string {
  return formatDate(new Date(at), 'stamp')
}

function day(at: number): string {
  return formatDate(new Date(at), 'words', 'utc')
}

/** The axis has no room for cents. */
function whole(cents: number): string {
  return formatCents(Math.round(cents / 100) * 100).slice(0, -'.00'.length)
}
