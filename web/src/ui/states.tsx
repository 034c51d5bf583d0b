import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** The states of loaded content: loading, empty, failed. */

/** A grey placeholder in the size of the coming content: `className="h-5 w-24"`. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={clsx('block animate-shimmer rounded-sm bg-hover', className)} />
}

/** Wraps skeletons and announces that something is loading. */
export function Loading({ label = 'Loading', className, children }: { readonly label?: string; readonly className?: string; readonly children?: ReactNode }) {
  return (
    <div role="status" className={className}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  )
}

/** A spinner with a text for screen readers. */
export function Spinner({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <span role="status" className="inline-flex text-muted">
      <span aria-hidden className="spinner" />
      <span className="sr-only">{label}</span>
    </span>
  )
}

interface StateProps {
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly icon?: ReactNode
  /** A button or link to continue. */
  readonly action?: ReactNode
  readonly className?: string
}

/** Empty content. */
export function EmptyState({ title, children, icon, action, className }: StateProps) {
  return (
    <div className={clsx('flex flex-col items-center gap-1 px-4 py-10 text-center', className)}>
      {icon && <div className="mb-2 text-muted">{icon}</div>}
      <p className="text-14 font-medium">{title}</p>
      {children && <p className="max-w-md text-13 text-muted">{children}</p>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}

/** A failure, with a way to continue. */
export function ErrorState({ title, children, action, className }: StateProps) {
  return (
    <div role="alert" className={clsx('flex flex-col items-center gap-1 px-4 py-10 text-center', className)}>
      <p className="text-14 font-semibold text-bad">{title}</p>
      {children && <p className="max-w-md text-13 text-muted">{children}</p>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}
