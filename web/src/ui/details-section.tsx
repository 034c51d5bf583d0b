import { type ReactNode, useId } from 'react'

interface DetailsSectionProps {
  readonly title: string
  /** At the right of the title. */
  readonly buttons?: ReactNode
  /** Its distance from the other sections. */
  readonly className?: string
  readonly children: ReactNode
}

/** A section of the details of a user: its title, its buttons and its content. */
export function DetailsSection({ title, buttons, className = '', children }: DetailsSectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={`min-w-0 ${className}`}>
      <div className="mb-1 flex min-h-9 items-center justify-between gap-3 border-b border-line pb-1">
        <h3 id={id} className="text-14 font-semibold">
          {title}
        </h3>
        {buttons}
      </div>
      {children}
    </section>
  )
}
