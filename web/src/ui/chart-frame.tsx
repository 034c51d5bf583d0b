import type { ReactNode } from 'react'

interface ChartFrameProps {
  /** What the picture shows, in one sentence. */
  readonly label: string
  /** Its height in px, kept while the chart is loaded. */
  readonly height: number
  /** The same figures as a table, for those who don't see the picture. */
  readonly table: ReactNode
  /** A control that reads it by keyboard: beside the picture, for nothing inside a picture is heard. */
  readonly reader?: ReactNode
  readonly children: ReactNode
}

/** Around a chart: its place, its name, and its figures as a table for screen readers. */
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
