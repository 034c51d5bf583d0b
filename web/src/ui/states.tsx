import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { ApiError, messageOf } from '@/api/api-error.ts'
import { Button } from './button.tsx'

/** The states of loaded content: loading, empty, failed. */

/** A grey placeholder in the size of the coming content: `className="h-5 w-24"`. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={clsx('block max-w-full animate-shimmer rounded-sm bg-hover', className)} />
}

interface LoadingProps {
  /** The name of what is loading, for screen readers. */
  readonly label?: string | undefined
  readonly className?: string
  readonly children?: ReactNode
}

/** Wraps skeletons and announces that something is loading. */
export function Loading({ label = 'Loading', className, children }: LoadingProps) {
  return (
    <div role="status" className={className}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  )
}

/** The shape of some lines of text while they load. */
export function LoadingLines({ lines, label, className }: LoadingProps & { readonly lines: number }) {
  return (
    <Loading label={label} className={clsx('flex flex-col gap-2', className)}>
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} className="h-5 w-full" />
      ))}
    </Loading>
  )
}

interface StateProps {
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly icon?: ReactNode
  /** A button or link to continue. */
  readonly action?: ReactNode
  readonly className?: string | undefined
  readonly role?: 'alert'
}

/** Empty content. */
export function EmptyState({ title, children, icon, action, className, role }: StateProps) {
  return (
    <div role={role} className={clsx('flex flex-col items-center gap-1 px-4 py-10 text-center', className)}>
      {icon && <div className="mb-2 text-muted">{icon}</div>}
      <p className="text-14 font-medium">{title}</p>
      {children && <p className="max-w-md text-13 text-muted">{children}</p>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}

interface FormErrorProps {
  /** The failed change; nothing is shown without one. */
  readonly error: Error | null | undefined
  /** Shown when the server gives no message. */
  readonly fallback?: string
}

/**
 * Why a form could not be sent, in the form, until it is sent again. Messages about a field are at that field. A toast
 * has announced it, so it announces nothing itself.
 */
export function FormError({ error, fallback }: FormErrorProps) {
  const cause = error?.cause instanceof ApiError ? error.cause : error
  if (!cause || (cause instanceof ApiError && Object.keys(cause.fields).length > 0)) return null
  return (
    <p className="rounded-md border border-bad/40 bg-bad-soft px-3 py-2 text-13 break-words text-bad">
      {messageOf(cause, fallback)}
    </p>
  )
}

/** Figures that could not be loaded, with a way to ask again. */
export function FailedFigures({
  onRetry,
  className,
  children,
}: {
  readonly onRetry: () => unknown
  readonly className?: string
  readonly children: string
}) {
  return (
    <div role="alert" className={clsx('flex flex-wrap items-center gap-x-3 gap-y-1 text-13 text-bad', className)}>
      <p>{children}</p>
      <Button look="secondary" className="h-7! px-2! text-12!" onClick={() => void onRetry()}>
        Try again
      </Button>
    </div>
  )
}

interface LoadedProps<Data> extends Pick<StateProps, 'className'> {
  readonly query: {
    readonly data: Data | undefined
    readonly isError: boolean
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  /** Shown when it fails before there is content: 'The terms could not be loaded'. */
  readonly failure: string
  /** The shape of the content. */
  readonly loading: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** Shows what a query reads; until then its shape, or why it failed and a way to try again. */
export function Loaded<Data>({ query, failure, loading, className, children }: LoadedProps<Data>) {
  const { data, isError, error, refetch } = query
  if (data !== undefined) return <>{children(data)}</>
  return isError ? <ErrorState title={failure} error={error} onRetry={refetch} className={className} /> : <>{loading}</>
}

interface ErrorStateProps extends Omit<StateProps, 'title' | 'icon' | 'role'> {
  readonly title: string
  /** The error: without children, its message is shown. */
  readonly error?: unknown
  /** Offers another try, unless there is an action or the person's role does not allow what was asked. */
  readonly onRetry?: () => unknown
}

/** A failure, with a way to continue. */
export function ErrorState({ title, children, error, onRetry, action, className }: ErrorStateProps) {
  const isForbidden = error instanceof ApiError && error.status === 403
  const retry = onRetry && !isForbidden && (
    <Button look="secondary" onClick={() => void onRetry()}>
      Try again
    </Button>
  )
  return (
    <EmptyState
      role="alert"
      title={<span className="font-semibold text-bad">{title}</span>}
      action={action ?? retry}
      className={className}
    >
      {children ?? (error !== undefined && messageOf(error))}
    </EmptyState>
  )
}
