import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface PageHeaderProps {
  readonly title: string
  /** One line that says what the page is for. */
  readonly children?: ReactNode
  /** The main action. */
  readonly action?: ReactNode
  /** Leaves room for a long table below: in a wide window the line stands beside the title. */
  readonly dense?: boolean
}

/** The page's title, purpose and main action. The title takes the focus after a navigation. */
export function PageHeader({ title, children, action, dense = false }: PageHeaderProps) {
  return (
    <header className={clsx('flex flex-wrap items-end justify-between gap-x-6 gap-y-3', dense ? 'mb-3' : 'mb-6')}>
      <div className={clsx('min-w-0', dense && 'lg:flex lg:items-baseline lg:gap-x-4')}>
        <h1 tabIndex={-1} className="text-28 font-semibold tracking-tight break-words">
          {title}
        </h1>
        {children && <p className="mt-1 text-14 text-muted">{children}</p>}
      </div>
      {action && <div className="flex flex-wrap gap-2">{action}</div>}
    </header>
  )
}
