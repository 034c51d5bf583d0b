import * as Primitive from '@radix-ui/react-dialog'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { type ComponentProps, createElement, type FocusEvent, useRef, useState, type ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'
import { useUnsaved } from './unsaved-work.ts'
import { usePageInert } from './use-page-inert.ts'

// Its types let these return a text.
export const Root = (props: Primitive.DialogProps) => createElement(Primitive.Root, props)
export const Portal = (props: Primitive.DialogPortalProps) => createElement(Primitive.Portal, props)

// Radix's overlay locks scrolling with a <style> element, which the security policy forbids. This is a plain element,
// and styles.css locks the scrolling. It has the z-index of the dialogs, so that a second dialog's scrim covers the
// first.
const scrim = <div aria-hidden className="fixed inset-0 z-50 animate-appear bg-scrim" />

// In a low window head and buttons would leave nothing of the content, or be cut off themselves: all of it scrolls. There
// is no room beside a toast either: the dialog begins below it.
const sheet =
  'fixed z-50 flex flex-col overflow-hidden low:overflow-y-auto border-line bg-card shadow-float animate-rise max-sm:inset-x-0 max-sm:bottom-0 max-sm:top-[var(--toasts,0px)] sm:top-1/2 sm:left-1/2 sm:max-h-[min(calc(100dvh-128px),860px)] sm:low:top-[calc(50%+var(--toasts,0px)/2)] sm:low:max-h-[calc(100dvh-1rem-var(--toasts,0px))] sm:w-[calc(100vw-48px)] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-lg sm:border'

/** Finds the element that gets the focus when a dialog closes. */
export type ReturnTo = () => HTMLElement | null | undefined

interface FrameProps extends ComponentProps<typeof Primitive.Content> {
  readonly onClose: () => void
  /** The record that it is about, where its words are not of this one alone: what is typed is kept for it. */
  readonly about?: string | undefined
  /** The next focus, if not the previous one. */
  readonly returnTo?: ReturnTo | undefined
  /** Ctrl Enter or ⌘ Enter, wherever the focus is in the dialog. */
  readonly onSubmitKey?: (() => void) | undefined
  readonly width: keyof typeof widths
}

const widths = {
  small: 'sm:max-w-md',
  medium: 'sm:max-w-xl',
  large: 'sm:max-w-3xl',
  // As high as it may be: its tabs are of any height.
  page: 'sm:max-w-6xl sm:h-full',
} as const

/**
 * An open dialog. The primitive restores the focus only for dialogs with a trigger; ours are rendered while they are
 * open.
 */
function Frame({ onClose, about, returnTo, onSubmitKey, width, ...content }: FrameProps) {
  const [opener] = useState(() => document.activeElement)
  const taken = useRef<Event>(undefined)
  usePageInert()
  return (
    <Root open onOpenChange={(next) => !next && onClose()}>
      <Portal>
        {scrim}
        <Primitive.Content
          data-dialog
          data-about={about}
          {...content}
          onOpenAutoFocus={(event) => {
            const content = event.currentTarget instanceof Element ? event.currentTarget : undefined
            const first =
              content?.querySelector('[data-autofocus]') ??
              content?.querySelector('form :is(input, select, textarea):enabled')
            if (!(first instanceof HTMLElement)) return
            event.preventDefault()
            // The content of a low window begins below the title, which says what this is about.
            first.focus({ preventScroll: first.role === 'region' })
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            const target = [returnTo?.(), opener].find(
              (one) => one instanceof HTMLElement && one.isConnected && one !== document.body,
            )
            const fallback = document.querySelector('h1[tabindex]')
            for (const one of [target, fallback]) if (one instanceof HTMLElement) return one.focus()
          }}
          // The primitive gives Escape to the topmost layer only, and counts a later toast as one: Escape would have to
          // be pressed twice.
          onEscapeKeyDown={(event) => (taken.current = event)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && event.nativeEvent !== taken.current) onClose()
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !onSubmitKey) return
            // A button with the focus must not be pressed as well, and a key held down acts once.
            event.preventDefault()
            if (!event.repeat) onSubmitKey()
          }}
          className={clsx(sheet, widths[width])}
        />
      </Portal>
    </Root>
  )
}

interface DialogProps extends Pick<FrameProps, 'onClose' | 'about' | 'returnTo' | 'onSubmitKey'> {
  readonly title: string
  /** Only a button of its footer closes it: it shows something for the last time, or what is being done. */
  readonly stays?: boolean
  readonly description?: ReactNode
  readonly width?: keyof typeof widths
  /** The content gets the focus, and no button: a key held down confirms and closes nothing. */
  readonly focusContent?: boolean
  /** Fields above the buttons at the bottom, always visible. */
  readonly pinned?: ReactNode
  /** Buttons at the bottom, always visible. */
  readonly footer?: ReactNode
  readonly children: ReactNode
}

/**
 * A dialog; a full-height sheet on a phone. Focuses the element with `data-autofocus`, the first field of a form or the
 * first control, and restores the focus afterwards. Closes on Escape, by its button and by a click outside; where
 * something was typed, it asks first. Buttons of the footer close it at once.
 */
export function Dialog({
  title,
  description,
  width = 'medium',
  focusContent = false,
  stays = false,
  pinned,
  footer,
  children,
  ...frame
}: DialogProps) {
  const [asks, setAsks] = useState(false)
  const typed = useTyped()
  useUnsaved(() => stays || typed.isLost())
  const close = () => {
    if (stays) return
    if (typed.isLost()) setAsks(true)
    else frame.onClose()
  }
  return (
    <>
      <Frame
        {...frame}
        onClose={close}
        onFocusCapture={typed.remember}
        width={width}
        {...(description === undefined && { 'aria-describedby': undefined })}
      >
        <header className="flex items-start justify-between gap-4 border-b border-line px-5 py-4">
          <div className="min-w-0">
            <Primitive.Title className="text-16 font-semibold break-words">{title}</Primitive.Title>
            {description !== undefined && (
              <Primitive.Description className="mt-1 text-13 text-muted [overflow-wrap:anywhere]">
                {description}
              </Primitive.Description>
            )}
          </div>
          {!stays && (
            <IconButton label="Close" className="-mt-1.5 -mr-2" onClick={close}>
              <X size={16} aria-hidden />
            </IconButton>
          )}
        </header>
        {/* Focusable, so that the keyboard can scroll it. The head of a table stops at its edge, beyond the padding. */}
        <div
          className="[--table-head:-1rem] min-h-0 flex-1 overflow-y-auto px-5 py-4 -outline-offset-2 low:flex-none low:overflow-visible"
          tabIndex={0}
          role="region"
          aria-label={title}
          data-autofocus={focusContent || undefined}
        >
          {children}
        </div>
        {pinned && <div className="border-t border-line px-5 py-3">{pinned}</div>}
        {footer !== undefined && <DialogFooter>{footer}</DialogFooter>}
      </Frame>
      {asks && (
        <AlertDialog
          onClose={() => setAsks(false)}
          title="Discard what you typed?"
          description="It is not saved."
          action={{ label: 'Discard', busy: false, onClick: frame.onClose }}
        />
      )}
    </>
  )
}

/** Fields whose content is missed: not a box that is ticked again, nor a code or a password that is typed again. */
const FIELDS =
  'textarea, select, input:not([type=checkbox], [type=radio], [type=password], [type=search], [autocomplete=one-time-code])'

/** Compares the fields of a dialog with what they held when they first had the focus. */
function useTyped() {
  const before = useRef(new Map<Field, string>()).current
  return {
    remember({ target }: FocusEvent) {
      if (isField(target) && !before.has(target)) before.set(target, target.value)
    },
    isLost: () => [...before].some(([field, value]) => field.isConnected && field.value !== value),
  }
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

function isField(target: EventTarget): target is Field {
  return target instanceof HTMLElement && target.matches(FIELDS)
}

interface AlertDialogProps extends Pick<FrameProps, 'onClose' | 'about'> {
  readonly title: string
  readonly description: ReactNode
  /** The button that confirms, red unless it is primary; without one, the dialog can only be closed. */
  readonly action?: {
    readonly label: string
    readonly busy: boolean
    readonly onClick: () => void
    readonly look?: 'primary'
  }
  readonly children?: ReactNode
}

/** A message that must be read, or a confirmation before something irreversible. */
export function AlertDialog({ onClose, about, title, description, action, children }: AlertDialogProps) {
  return (
    <Frame
      role="alertdialog"
      aria-modal
      width="small"
      about={about}
      onClose={onClose}
      onInteractOutside={(event) => event.preventDefault()}
    >
      <div className="flex min-h-0 flex-col gap-2 overflow-y-auto px-5 pt-5 pb-4 max-sm:flex-1 low:flex-none low:overflow-visible">
        <Primitive.Title className="text-16 font-semibold">{title}</Primitive.Title>
        <Primitive.Description asChild>
          <div className="text-14 text-muted">{description}</div>
        </Primitive.Description>
        {children !== undefined && <div className="mt-2">{children}</div>}
      </div>
      <DialogFooter>
        <Button data-autofocus look={action ? 'secondary' : 'primary'} onClick={onClose}>
          {action ? 'Cancel' : 'Close'}
        </Button>
        {action && (
          <Button look={action.look ?? 'danger'} busy={action.busy} onClick={action.onClick}>
            {action.label}
          </Button>
        )}
      </DialogFooter>
    </Frame>
  )
}

function DialogFooter({ children }: { readonly children: ReactNode }) {
  return <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{children}</footer>
}
