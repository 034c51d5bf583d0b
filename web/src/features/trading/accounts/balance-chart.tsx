import { type PointerEvent, useEffect, useRef, useState } from 'react'
import type uPlot from 'uplot'
import { eventNumber } from '@/format/counts.ts'
import { formatDate } from '@/format/dates.ts'
import { formatCents, formatDollars, formatMoney, formatSignedCents } from '@/format/money.ts'
import { drawPlot, plotLayout } from './balance-plot.ts'
import { balancesOf, type Curve, type CurveMarker, tradedOf, type Value } from './performance.ts'
import type { Level } from './standing.ts'

/** The pointer reads the events within this distance, in px. */
const NEAR = 6
/** The width of a letter of a label, and the distance between two lines of labels, in px at the usual size of text. */
const LETTER = 7
const LINE = 14
/**
 * Labels of payouts and phases take at most this many lines; a label without space is read by pointer or arrow keys.
 */
const LABEL_LINES = 2
/** The height of a label, in px at the usual size of text. */
const LABEL = 16

/** A chart draws the balance, or the trading result since its first moment. */
const kinds = {
  balance: {
    name: 'Account balance',
    read: 'Read the balance moment by moment',
    valuesOf: balancesOf,
    format: formatCents,
  },
  traded: {
    name: 'Profit and loss',
    read: 'Read profit and loss moment by moment',
    valuesOf: tradedOf,
    format: formatSignedCents,
  },
} as const

export type Shown = keyof typeof kinds

interface BalanceChartProps {
  readonly curve: Curve
  readonly show: Shown
  readonly levels: readonly Level[]
}

/**
 * The balance, or what was traded, over time as an area, with a mark at each decision, a labelled line at each payout
 * and phase, and the levels at which the account ends or reaches its target. The pointer or the arrow keys read single
 * moments; screen readers get the same figures as a table.
 */
export function BalanceChart({ curve, show, levels }: BalanceChartProps) {
  const [readAt, setReadAt] = useState<number>()
  const kind = kinds[show]
  const values = kind.valuesOf(curve)
  const [first, last] = [values[0], values.at(-1)]
  if (!first || !last) return null
  const label = `${kind.name} from ${day(first.at)} to ${day(last.at)}: from ${kind.format(first.cents)} to ${kind.format(last.cents)}`
  const reading = { curve, kind, levels, readAt, onRead: setReadAt }
  return (
    <figure className="relative min-w-0 rounded-sm outline-offset-2 outline-accent has-[input:focus-visible]:outline-2">
      {/* Outside the image, whose content screen readers skip. */}
      <Reader {...reading} />
      <div role="img" aria-label={label}>
        <Picture {...reading} />
      </div>
      <figcaption className="sr-only">
        <Figures curve={curve} levels={levels} />
      </figcaption>
    </figure>
  )
}

interface DrawnProps {
  readonly curve: Curve
  readonly kind: (typeof kinds)[Shown]
  readonly levels: readonly Level[]
}

interface ReadingProps extends DrawnProps {
  /** The moment that is read, if any. */
  readonly readAt: number | undefined
  readonly onRead: (at: number | undefined) => void
}

/** Moves from one change to the next by arrow keys: a native slider, which announces its value. */
function Reader({ curve, kind, readAt, onRead }: ReadingProps) {
  const { markers } = curve
  const values = kind.valuesOf(curve)
  const moments = [...new Set([...values, ...markers].map(({ at }) => at))].sort((a, b) => a - b)
  const last = moments.length - 1
  const readIndex = moments.findLastIndex((moment) => moment <= (readAt ?? Infinity))
  const index = Math.max(0, readIndex)
  const at = moments[index] ?? 0
  const events = markers
    .filter((marker) => marker.at === at)
    .map(({ number, label }) => `${eventNumber(number)} ${label}`)
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

/** The drawing, with labels and readout above it. */
function Picture({ curve, kind, levels, readAt, onRead }: ReadingProps) {
  const ref = useRef<HTMLDivElement>(null)
  // A new object after each drawing, so that the labels follow its scales.
  const [drawn, setDrawn] = useState<{ readonly plot: uPlot }>()
  useEffect(
    () => (ref.current ? drawPlot(ref.current, kind.valuesOf(curve), levels, (plot) => setDrawn({ plot })) : undefined),
    [curve, kind, levels],
  )
  const read = ({ clientX }: PointerEvent) => {
    if (!drawn) return
    const { left, width } = drawn.plot.over.getBoundingClientRect()
    onRead(drawn.plot.posToVal(Math.min(width, Math.max(0, clientX - left)), 'x'))
  }
  return (
    <div
      ref={ref}
      aria-hidden
      style={{ height: plotLayout().height }}
      onPointerMove={read}
      onPointerLeave={() => onRead(undefined)}
      className="relative bg-card [touch-action:pan-y] forced-color-adjust-none"
    >
      {drawn && (
        <>
          <Labels plot={drawn.plot} curve={curve} levels={levels} />
          {readAt !== undefined && <Readout plot={drawn.plot} curve={curve} kind={kind} at={readAt} />}
        </>
      )}
    </div>
  )
}

type OnPlot<Part extends keyof DrawnProps> = Pick<DrawnProps, Part> & { readonly plot: uPlot }

/**
 * A mark at each decision, a line at each payout and phase, and their names and those of the levels, readable over any
 * line.
 */
function Labels({ plot, curve, levels }: OnPlot<'curve' | 'levels'>) {
  const { clientWidth: width, clientHeight: height } = plot.over
  const { scale, inset } = plotLayout()
  const [letter, line, labelHeight] = [LETTER * scale, LINE * scale, LABEL * scale]
  const placed = curve.markers.map((marker) => ({
    ...marker,
    key: `${marker.at} ${marker.number}`,
    x: plot.valToPos(marker.at, 'x'),
  }))
  const corrected = new Set(curve.markers.flatMap(({ corrects }) => corrects ?? []))
  const named = placed.flatMap((marker) => {
    const name = nameOf(marker, corrected.has(marker.number))
    return name === undefined ? [] : [{ ...marker, name, left: Math.min(marker.x + 4, width - name.length * letter) }]
  })
  const rows = rowsOf(
    named.map(({ left, name }) => [left, left + name.length * letter + 2]),
    LABEL_LINES,
  )
  const tops = spread(
    // The account is above its limits, so their labels are below the lines.
    levels.map(({ cents, tone }) => plot.valToPos(cents, 'y') - (tone === 'bad' ? 0 : labelHeight)),
    line,
    height - labelHeight,
  )
  return (
    <div
      style={inset}
      className="absolute text-12 whitespace-nowrap [-webkit-text-stroke:4px_var(--color-card)] [paint-order:stroke] *:absolute"
    >
      {placed.map(({ key, x }) => (
        <i key={key} className="top-full h-[5px] border-l border-edge" style={{ left: x }} />
      ))}
      {named.map(({ key, x, left, name }, index) => (
        <div key={key} className={name === BREACHED ? 'inset-y-0 text-bad' : 'inset-y-0 text-muted'}>
          <i className="absolute inset-y-0 border-l border-dashed border-current/60" style={{ left: x }} />
          {rows[index] !== undefined && (
            <span className="absolute" style={{ left, top: rows[index] * line - inset.top }}>
              {name}
            </span>
          )}
        </div>
      ))}
      {levels.map(({ label, cents, tone }, index) => (
        <span key={index} className={tone === 'bad' ? 'text-bad' : 'text-good'} style={{ right: 0, top: tops[index] }}>
          {label} {formatDollars(cents)}
        </span>
      ))}
    </div>
  )
}

const BREACHED = 'Breached'

/**
 * The label of a marker that changes the balance or ends the account: a payout, a phase, a breach. A breach that was a
 * mistake says so, and so does its correction.
 */
function nameOf({ type, amount, to, corrects }: CurveMarker, isCorrected: boolean): string | undefined {
  if (type === 'PayoutApproved') return `Payout ${formatMoney(amount)}`
  if (type === 'PhaseChanged') return to ?? 'none'
  if (type !== 'AccountStatusChanged') return undefined
  if (corrects !== null) return 'Breach corrected'
  if (to !== 'breached') return undefined
  return isCorrected ? 'Breach, a mistake' : BREACHED
}

/** The moment that is read: a line through it, a dot on the curve, and beside them the value and the events. */
function Readout({ plot, curve, kind, at }: OnPlot<'curve' | 'kind'> & { readonly at: number }) {
  const cents = valueAt(kind.valuesOf(curve), at)
  const { top, bottom, left } = plotLayout().inset
  const x = (moment: number) => left + plot.valToPos(moment, 'x')
  const events = curve.markers.filter((marker) => Math.abs(x(marker.at) - x(at)) <= NEAR)
  return (
    <>
      <div className="absolute w-px bg-ink" style={{ top, bottom, left: x(at) }} />
      <div
        className="absolute size-2.5 -translate-1/2 rounded-full border-2 border-card bg-accent"
        style={{ left: x(at), top: top + plot.valToPos(cents, 'y') }}
      />
      <div
        className="pointer-events-none absolute top-2 max-w-60 rounded-md bg-ink px-2.5 py-1.5 text-12 text-paper shadow-float"
        style={x(at) < plot.width / 2 ? { left: x(at) + 12 } : { right: plot.width - x(at) + 12 }}
      >
        <p className="font-semibold">{kind.format(cents)}</p>
        <p>{stampOf(at)}</p>
        {events.slice(0, 4).map(({ number, label, at: when }) => (
          <p key={`${when} ${number}`} className="mt-0.5">
            <span className="font-mono">{eventNumber(number)}</span> {label}
          </p>
        ))}
        {events.length > 4 && <p className="mt-0.5">and {events.length - 4} more</p>}
      </div>
    </>
  )
}

/** The same figures as tables: each day on which the balance changed, the decisions, and the levels. */
function Figures({ curve, levels }: Pick<BalanceChartProps, 'curve' | 'levels'>) {
  const days = curve.days.map(({ date, closing, result }) => [
    day(Date.parse(date)),
    formatMoney(closing),
    formatMoney(result),
  ])
  const decisions = curve.markers.map(({ at, number, label, why }) => [
    eventNumber(number),
    stampOf(at),
    why === null ? label : `${label}: ${why}`,
  ])
  const levelTexts = levels.map(({ label, cents }) => [label, formatCents(cents)])
  return (
    <>
      <FigureTable
        caption="Balance at the end of each day on which it changed"
        headings={['Day', 'Balance', 'Change']}
        rows={days}
      />
      <FigureTable caption="Decisions in this period" headings={['Entry', 'When', 'What']} rows={decisions} />
      <FigureTable caption="Limits and target" headings={['Level', 'Balance']} rows={levelTexts} />
    </>
  )
}

type FigureTableProps = Readonly<{ caption: string; headings: readonly string[]; rows: readonly (readonly string[])[] }>

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

/** Places the labels of a chart so that none covers another: the one thing its library does not do. */

/**
 * The first line in which each label has space, undefined where none has: labels are from left to right, [start, end]
 * in px.
 */
export function rowsOf(
  labels: readonly (readonly [start: number, end: number])[],
  lines: number,
): readonly (number | undefined)[] {
  const ends = Array.from({ length: lines }, () => -Infinity)
  return labels.map(([start, end]) => {
    const row = ends.findIndex((taken) => taken <= start)
    if (row === -1) return undefined
    ends[row] = end
    return row
  })
}

/**
 * Heights that are at least `distance` apart and not below `lowest`, each as close as possible to its own, in px from
 * the top.
 */
export function spread(heights: readonly number[], distance: number, lowest: number): readonly number[] {
  const ascending = heights.map((height, index) => ({ height, index })).sort((a, b) => b.height - a.height)
  const result = [...heights]
  let limit = lowest
  for (const { height, index } of ascending) {
    result[index] = Math.min(height, limit)
    limit = (result[index] ?? height) - distance
  }
  return result
}
