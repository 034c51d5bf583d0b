import { clsx } from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

interface CardProps extends Omit<ComponentProps<'section'>, 'title'> {
  readonly title?: ReactNode
  /** At the right of the title. */
  readonly action?: ReactNode
}

/** A framed section of a page. The title is a level-2 heading. */
export function Card({ title, action, className, children, ...rest }: CardProps) {
  return (
    <section {...rest} className={clsx('min-w-0 rounded-lg border border-line bg-card p-5', className)}>
      {title !== undefined && (
        <div className="mb-4 flex min-h-6 items-center justify-between gap-3">
          <h2 className="text-16 font-semibold">{title}</h2>
          {action}
        </div>
      )}
      {children}
    </section>
  )
}

interface SettingRowProps {
  readonly title: string
  /** Changes it. */
  readonly action: ReactNode
  /** What is set, in one line. */
  readonly children: ReactNode
}

/** A setting of one line with its button, beside what folds. The title is a level-2 heading. */
export function SettingRow({ title, action, children }: SettingRowProps) {
  return (
    <section className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-card py-1.5 pr-3 pl-5 md:pl-12">
      <h2 className="text-14 font-semibold md:w-48">{title}</h2>
      <div className="min-w-0 flex-1 basis-52 text-13 break-words text-muted">{children}</div>
      {action}
    </section>
  )
}

interface StatCardProps {
  readonly label: ReactNode
  readonly value: ReactNode
  /** The context of the figure: of what, until when. */
  readonly context?: ReactNode
  readonly tone?: 'good' | 'bad' | undefined
  /** As low as it can be, with the context beside the value. */
  readonly dense?: boolean
  readonly className?: string
}

/** One figure with its label and context. */
export function StatCard({ label, value, context, tone, dense = false, className }: StatCardProps) {
  return (
    <section
      className={clsx(
        'flex min-w-0 rounded-lg border border-line bg-card',
        dense ? 'flex-wrap content-start items-baseline gap-x-2 px-3 py-1.5 sm:px-4' : 'flex-col gap-1 p-3 sm:p-5',
        className,
      )}
    >
      <h2 className={clsx('text-13 font-medium text-muted', dense && 'w-full')}>{label}</h2>
      <p
        className={clsx(
          'font-semibold break-words',
          dense ? 'text-16' : 'text-20 md:max-lg:text-16',
          tone === 'good' && 'text-good',
          tone === 'bad' && 'text-bad',
        )}
      >
        {value}
      </p>
      {context !== undefined && <p className="text-12 text-muted">{context}</p>}
    </section>
  )
}

interface DescriptionListProps {
  readonly items: readonly { readonly name: string; readonly value: ReactNode }[]
  readonly className?: string
}

/** A description list of names and values. */
export function DescriptionList({ items, className }: DescriptionListProps) {
  return (
    <dl
      className={clsx(
        'grid grid-cols-[minmax(96px,auto)_1fr] items-baseline gap-x-4 gap-y-2 text-14 enlarged:grid-cols-1',
        className,
      )}
    >
      {items.map(({ name, value }) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The same with the values at the right. */
export function FigureList({ items, className }: DescriptionListProps) {
  return (
    <dl className={clsx('flex flex-col gap-2', className)}>
      {items.map(({ name, value }) => (
        <div key={name} className="flex flex-wrap items-baseline justify-between gap-x-4">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 font-medium break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
