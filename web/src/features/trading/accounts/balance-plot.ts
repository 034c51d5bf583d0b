import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatDate } from '@/format/dates.ts'
import { formatCents, formatDollars } from '@/format/money.ts'
import { theme } from '@/theme.ts'
import { DAY, type Value } from './performance.ts'
import type { Level } from './standing.ts'

/** How much larger than usual the text is that is set in the browser: the canvas knows no rem. */
const textScale = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1

/**
 * The height of the drawing and the space around its plot, in px: for labels at the top, for the axes left and below.
 * What holds text grows by `scale`.
 */
export function plotLayout() {
  const scale = textScale()
  const inset = { top: 36 * scale, right: 8, bottom: 36 * scale, left: 8 + 56 * scale } as const
  return { scale, inset, height: 188 + inset.top + inset.bottom } as const
}

/**
 * Draws into an element, and again when its width, the theme or the font change, until the returned function is called.
 */
export function drawPlot(
  element: HTMLElement,
  values: readonly Value[],
  levels: readonly Level[],
  onDrawn: (plot: uPlot) => void,
): () => void {
  let plot: uPlot | undefined
  const { scale, height } = plotLayout()
  const redraw = () => plot?.redraw(false)
  const observer = new ResizeObserver(([entry]) => {
    const width = entry?.contentRect.width
    if (!width) return
    if (plot) return plot.setSize({ width, height })
    const options = optionsOf(levels, `${12 * scale}px ${getComputedStyle(element).fontFamily}`)
    plot = new uPlot({ ...options, width, height, hooks: { draw: [onDrawn] } }, dataOf(values, levels), element)
    void document.fonts.ready.then(redraw)
  })
  observer.observe(element)
  const systemTheme = matchMedia('(prefers-color-scheme: dark)')
  systemTheme.addEventListener('change', redraw)
  const unsubscribe = theme.subscribe(redraw)
  return () => {
    observer.disconnect()
    systemTheme.removeEventListener('change', redraw)
    unsubscribe()
    plot?.destroy()
    plot = undefined
  }
}

function dataOf(values: readonly Value[], levels: readonly Level[]): uPlot.AlignedData {
  const [from, until] = [values[0]?.at ?? 0, values.at(-1)?.at ?? 0]
  const table = (at: number[], cents: number[]): [number[], number[]] => [at, cents]
  return uPlot.join([
    table(
      values.map(({ at }) => at),
      values.map(({ cents }) => cents),
    ),
    ...levels.map((level) => table([Math.max(level.from, from), until], [level.cents, level.cents])),
  ])
}

function optionsOf(levels: readonly Level[], font: string): Omit<uPlot.Options, 'width' | 'height'> {
  const { scale, inset } = plotLayout()
  const none = { show: false }
  const muted = colour('var(--color-muted)')
  const line = (name: string) => ({ width: 1, stroke: colour(`var(--color-${name})`) })
  return {
    ms: 1,
    tzDate: (at) => uPlot.tzDate(new Date(at), 'UTC'),
    padding: [inset.top, inset.right, 0, 0],
    legend: none,
    cursor: none,
    scales: {
      // A curve of one moment has a width, too.
      x: { range: (_, from, until) => [from, Math.max(until, from + 1)] },
      y: {
        range: (_, lowest, highest) => {
          // Enough space around the curve that a small change does not look like a large one.
          const space = Math.max((highest - lowest) * 0.12, highest * 0.005, 100)
          return [lowest - space, highest + space]
        },
      },
    },
    series: [
      {},
      {
        // A value holds until it changes: the line is made of steps.
        ...(uPlot.paths.stepped && { paths: uPlot.paths.stepped({ align: 1 }) }),
        points: none,
        width: 1.75,
        stroke: colour('var(--color-accent)'),
        fill: colour('color-mix(in oklab, var(--color-accent) 12%, transparent)'),
      },
      ...levels.map(({ tone }) => ({ ...line(tone), points: none, dash: [6, 4] })),
    ],
    axes: [
      {
        font,
        size: inset.bottom,
        gap: 18 * scale,
        // Four days have room on a phone, two times don't.
        space: (_, _axis, from, until, width) =>
          scale * (until - from < 10 * DAY ? 120 : Math.min(120, Math.max(56, width / 4))),
        stroke: muted,
        border: { ...line('line'), show: true },
        ticks: none,
        grid: none,
        values: ({ width, valToPos }, at, _axis, _space, step) =>
          at.map((tick) => {
            const [format, half] = step < DAY ? (['stamp', 50] as const) : (['short', 22] as const)
            return inset.left + valToPos(tick, 'x') + half * scale > width
              ? null
              : formatDate(new Date(tick), format, 'utc')
          }),
      },
      {
        font,
        size: inset.left,
        gap: 8,
        stroke: muted,
        ticks: none,
        grid: line('line'),
        values: (_, amounts, _axis, _space, step) => amounts.map(step % 100 === 0 ? formatDollars : formatCents),
      },
    ],
  }
}

/** A colour as it is now: a canvas knows neither properties nor themes. */
function colour(value: string): ({ root }: uPlot) => string {
  return ({ root }) => {
    root.style.color = value
    return getComputedStyle(root).color
  }
}
