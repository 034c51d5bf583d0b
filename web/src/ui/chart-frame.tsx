import type { ReactNode } from 'react'

interface ChartFrameProps {
  /** One sentence that describes the chart. */
  readonly label: string
  /** Height in px, also while the chart loads. */
  readonly height: number
  /** The same figures as a table, for screen readers. */
  readonly table: ReactNode
  /** A control that reads the chart by keyboard. Outside the image, whose content screen readers skip. */
  readonly reader?: ReactNode
  readonly children: ReactNode
}

/** The frame of a chart: its size, its name, and its figures as a table for screen readers. */
export function ChartFrame({ label, height, table, reader, children }: ChartFrameProps) {
  return (
    <figure className="relative min-w-0 rounded-sm outline-offset-2 outline-accent has-[input:focus-visible]:outline-2">
      {reader}
      <div role="img" aria-label={label} style={{ height }}>
        {children}
      </div>
      <figcaption className="sr-only">{table}</figcaption>
    </figure>
  )
}
