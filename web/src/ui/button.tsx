import { clsx } from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

export type ButtonLook = 'primary' | 'secondary' | 'quiet' | 'danger'

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: ButtonLook | undefined
  /** A request is running: shows a spinner and ignores clicks, but keeps the focus. */
  readonly busy?: boolean | undefined
}

const shape =
  // Paper has no buttons.
  'inline-flex print:hidden! h-9 shrink-0 items-center justify-center gap-2 whitespace-nowrap rounded-md px-4 text-14 font-medium transition-colors duration-150 disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-default enlarged:h-auto! enlarged:min-h-9 enlarged:max-w-full enlarged:shrink enlarged:whitespace-normal'

// Contrast themes show a transparent border, and no background.
const looks: Readonly<Record<ButtonLook, string>> = {
  primary: 'border border-transparent bg-accent text-on-accent hover:not-disabled:bg-accent-strong',
  secondary: 'border border-edge/60 bg-card text-ink hover:not-disabled:bg-hover',
  quiet: 'text-ink hover:not-disabled:bg-hover',
  danger: 'border border-transparent bg-bad text-on-bad hover:not-disabled:opacity-90',
}

/** Classes of a button, for links that look like one. */
export function buttonClass(look: ButtonLook = 'primary', className?: string): string {
  return clsx(shape, looks[look], className)
}

/** A button with a text. Submits only with `type="submit"`. */
export function Button({ look, busy = false, className, children, onClick, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={buttonClass(look, className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled']}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {busy && <span className="spinner size-4!" aria-hidden />}
      {children}
    </button>
  )
}

export interface IconButtonProps extends Omit<ButtonProps, 'children'> {
  /** Its name: 'Actions for Ada Lovelace'. */
  readonly label: string
  readonly children: ReactNode
}

/** An icon button; its name is also its tooltip. */
export function IconButton({ label, look = 'quiet', className, ...rest }: IconButtonProps) {
  return (
    <Button
      {...rest}
      look={look}
      aria-label={label}
      title={rest.title ?? label}
      className={clsx('w-9 px-0!', className)}
    />
  )
}
