import * as Alert from '@radix-ui/react-alert-dialog'
import * as Primitive from '@radix-ui/react-dialog'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'

// Radix's overlay locks scrolling with a <style> element, which the security policy forbids. This is a plain element, and
// styles.css locks the scrolling. It has the z-index of the dialogs, so that a second dialog's scrim covers the first.
const scrim = <div aria-hidden className="fixed inset-0 z-50 animate-appear bg-scrim" />

const sheet =
  'fixed z-50 flex flex-col overflow-hidden border-line bg-card shadow-float animate-rise max-sm:inset-0 sm:top-1/2 sm:left-1/2 sm:max-h-[min(88dvh,860px)] sm:w-[calc(100vw-48px)] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-lg sm:border'

/** Finds the element that gets the focus when a dialog closes. */
export type ReturnTo = () => HTMLElement | null | undefined

/**
 * Moves the focus into a dialog and back. The primitives restore it only for dialogs with a trigger; ours open by state.
 */
function useFocusReturn(open: boolean, returnTo?: ReturnTo) {
  const [wasOpen, setWasOpen] = useState(false)
  const [opener, setOpener] = useState<Element | null>(null)
  if (open !== wasOpen) {
    setWasOpen(open)
    if (open) setOpener(document.activeElement)
  }
  return {
    onOpenAutoFocus: (event: Event) => {
      const first = event.currentTarget instanceof Element ? event.currentTarget.querySelector('[data-autofocus]') : null
      if (!(first instanceof HTMLElement)) return
      event.preventDefault()
      first.focus()
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      const target = [returnTo?.(), opener].find((one) => one instanceof HTMLElement && one.isConnected && one !== document.body)
      const fallback = document.querySelector('h1[tabindex]')
      for (const one of [target, fallback]) if (one instanceof HTMLElement) return one.focus()
    },
  }
}

/**
 * Closes a dialog on Escape also while a toast is visible. The primitives give the key to the topmost layer only, and
 * count a later toast as one: without this, Escape would have to be pressed twice.
 */
function useEscape(onClose: () => void) {
  const taken = useRef<Event>(undefined)
  return {
    onEscapeKeyDown: (event: Event) => {
      taken.current = event
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape' && event.nativeEvent !== taken.current) onClose()
    },
  }
}

const widths = { small: 'sm:max-w-md', medium: 'sm:max-w-xl', large: 'sm:max-w-3xl' } as const

interface DialogProps {
  readonly open: boolean
  /** Called on Escape, the close button and a click outside. */
  readonly onClose: () => void
  /** The next focus, if not the previous one. */
  readonly returnTo?: ReturnTo | undefined
  readonly title: string
  readonly description?: ReactNode
  readonly width?: keyof typeof widths
  /** Buttons at the bottom, always visible. */
  readonly footer?: ReactNode
  readonly children: ReactNode
}

/**
 * A dialog; a full-height sheet on a phone. Focuses the element with `data-autofocus` or the first control, and restores
 * the focus afterwards.
 */
export function Dialog({ open, onClose, returnTo, title, description, width = 'medium', footer, children }: DialogProps) {
  const focus = useFocusReturn(open, returnTo)
  const escape = useEscape(onClose)
  return (
    <Primitive.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Primitive.Portal>
        {scrim}
        <Primitive.Content
          data-dialog
          {...focus}
          {...escape}
          className={clsx(sheet, widths[width])}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <header className="flex items-start justify-between gap-4 border-b border-line px-5 py-4">
            <div className="min-w-0">
              <Primitive.Title className="text-16 font-semibold break-words">{title}</Primitive.Title>
              {description !== undefined && <Primitive.Description className="mt-1 text-13 text-muted">{description}</Primitive.Description>}
            </div>
            <IconButton label="Close" className="-mt-1.5 -mr-2" onClick={onClose}>
              <X size={16} aria-hidden />
            </IconButton>
          </header>
          {/* Focusable, so that the keyboard can scroll it. */}
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4 -outline-offset-2" tabIndex={0} role="region" aria-label={title}>
            {children}
          </div>
          {footer !== undefined && <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

interface ConfirmDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly returnTo?: ReturnTo | undefined
  readonly title: string
  /** What will happen, and to whom. */
  readonly description: ReactNode
  /** The text of the confirming button: 'Delete'. */
  readonly confirm: string
  readonly dangerous?: boolean
  /** Closes the dialog when done; the button is busy until the promise settles. */
  readonly onConfirm: () => void | Promise<unknown>
  readonly confirmDisabled?: boolean
  readonly cancel?: string
  /** A field for a reason or notes. */
  readonly children?: ReactNode
}

/** A confirmation before something irreversible. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onClose, returnTo, title, description, confirm, dangerous = false, onConfirm, confirmDisabled = false, cancel = 'Cancel', children } = props
  const { onCloseAutoFocus } = useFocusReturn(open, returnTo)
  const escape = useEscape(onClose)
  const [busy, setBusy] = useState(false)
  const act = async () => {
    setBusy(true)
    try {
      await onConfirm()
    } finally {
      setBusy(false)
    }
  }
  return (
    <Alert.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Alert.Portal>
        {scrim}
        <Alert.Content aria-modal data-dialog {...escape} onCloseAutoFocus={onCloseAutoFocus} className={clsx(sheet, widths.small)}>
          <div className="flex min-h-0 flex-col gap-2 overflow-y-auto px-5 pt-5 pb-4 max-sm:flex-1">
            <Alert.Title className="text-16 font-semibold">{title}</Alert.Title>
            <Alert.Description className="text-14 text-muted">{description}</Alert.Description>
            {children !== undefined && <div className="mt-2">{children}</div>}
          </div>
          <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
            <Alert.Cancel asChild>
              <Button look="secondary">{cancel}</Button>
            </Alert.Cancel>
            <Button look={dangerous ? 'danger' : 'primary'} busy={busy} disabled={confirmDisabled} onClick={() => void act()}>
              {confirm}
            </Button>
          </footer>
        </Alert.Content>
      </Alert.Portal>
    </Alert.Root>
  )
}

interface AlertDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
}

/** A message that must be read; one button. */
export function AlertDialog({ open, onClose, title, children }: AlertDialogProps) {
  const { onCloseAutoFocus } = useFocusReturn(open)
  const escape = useEscape(onClose)
  return (
    <Alert.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Alert.Portal>
        {scrim}
        <Alert.Content aria-modal data-dialog {...escape} onCloseAutoFocus={onCloseAutoFocus} className={clsx(sheet, widths.small)}>
          <div className="flex flex-col gap-2 px-5 pt-5 pb-4 max-sm:flex-1">
            <Alert.Title className="text-16 font-semibold">{title}</Alert.Title>
            <Alert.Description asChild>
              <div className="text-14">{children}</div>
            </Alert.Description>
          </div>
          <footer className="flex justify-end border-t border-line px-5 py-3">
            <Alert.Cancel asChild>
              <Button>Close</Button>
            </Alert.Cancel>
          </footer>
        </Alert.Content>
      </Alert.Portal>
    </Alert.Root>
  )
}
