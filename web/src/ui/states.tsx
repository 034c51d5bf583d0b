import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** The faces of something that is loaded: waiting, nothing there, failed. */

/** A grey shape where something will stand. Give it the size of what comes: `className="h-5 w-24"`. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={clsx('block animate-shimmer rounded-sm bg-hover', className)} />
}

/** Around skeletons: tells assistive technology that something is loading. */
export function Loading({ label = 'Loading', className, children }: { readonly label?: string; readonly className?: string; readonly children?: ReactNode }) {
  return (
    <div role="status" className={className}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  )
}

/** A turning ring that says "loading" to everybody. */
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
  /** The way on, or out. */
  readonly action?: ReactNode
  readonly className?: string
}

/** Nothing there yet: says so and what will be. */
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

/** Something failed: says what, and the way out. */
export function ErrorState({ title, children, action, className }: StateProps) {
  return (
    <div role="alert" className={clsx('flex flex-col items-center gap-1 px-4 py-10 text-center', className)}>
      <p className="text-14 font-semibold text-bad">{title}</p>
      {children && <p className="max-w-md text-13 text-muted">{children}</p>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}
