import * as Primitive from '@radix-ui/react-tooltip'
import { type FocusEvent, type ReactNode, useState } from 'react'

/** Tooltips open after 700 ms, or at once within 300 ms after another one (specification §9). Around all pages with a frame. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Primitive.Provider delayDuration={700} skipDelayDuration={300}>
      {children}
    </Primitive.Provider>
  )
}

interface TooltipProps {
  /** Additional information, never the only place of something important. */
  readonly content: ReactNode
  /** One element: a button, a link, or a `span tabIndex={0}`. */
  readonly children: ReactNode
}

/** Shows more on hover or keyboard focus. */
export function Tooltip({ content, children }: TooltipProps) {
  const [open, setOpen] = useState(false)
  const focus = (event: FocusEvent) => {
    // A focus by a click or a script opens nothing. One by a key may scroll the page, and scrolling closes a tooltip: a
    // frame begins with the events of scrolling.
    event.preventDefault()
    const { target } = event
    if (target.matches(':focus-visible'))
      requestAnimationFrame(() => document.activeElement === target && setOpen(true))
  }
  return (
    <Primitive.Root open={open} onOpenChange={setOpen}>
      <Primitive.Trigger asChild onFocus={focus}>
        {children}
      </Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-80 animate-appear rounded-md bg-ink px-2.5 py-1.5 text-12 text-paper shadow-float"
        >
          {content}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}
