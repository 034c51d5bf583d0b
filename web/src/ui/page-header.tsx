import type { ReactNode } from 'react'

interface PageHeaderProps {
  readonly title: string
  /** One line that says what the page is for. */
  readonly children?: ReactNode
  /** The main action. */
  readonly action?: ReactNode
}

/** The page's title, purpose and main action. The title takes the focus after a navigation. */
export function PageHeader({ title, children, action }: PageHeaderProps) {
  return (
    <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 tabIndex={-1} className="text-28 font-semibold tracking-tight break-words">
          {title}
        </h1>
        {children && <p className="mt-1 text-14 text-muted">{children}</p>}
      </div>
      {action && <div className="flex flex-wrap gap-2">{action}</div>}
    </header>
  )
}
