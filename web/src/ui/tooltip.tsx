import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { lazyPart } from '../lazy-page.ts'

/** Opens after 700 ms, or at once within 300 ms after another tooltip (specification §9). */
const OPENS_AFTER = 700
const SKIPS_WITHIN = 300

const load = () => import('./tooltip-popup.tsx')
const TooltipPopup = lazyPart(() => load().then(({ TooltipPopup }) => TooltipPopup))

interface TooltipProps {
  /** Additional information, never the only place of something important. */
  readonly content: ReactNode
  /** One element: a button, a link, or a `span tabIndex={0}`. */
  readonly children: ReactNode
}

/** When the last tooltip closed, in ms since the page loaded. */
let closedAt = -Infinity

/**
 * Shows more on hover or keyboard focus. Tables contain many tooltips and few are ever seen, so the popup loads on first
 * use; until then a tooltip is a wrapper with listeners.
 */
export function Tooltip({ content, children }: TooltipProps) {
  const [element, setElement] = useState<HTMLElement>()
  const [open, setOpen] = useState(false)
  const giveUp = useRef(() => {})
  useEffect(() => () => giveUp.current(), [])
  const change = (next: boolean) => {
    giveUp.current()
    if (open && !next) closedAt = performance.now()
    setOpen(next)
  }
  const reach = ({ currentTarget: { firstElementChild } }: { readonly currentTarget: Element }, openLater: (open: () => void) => () => void) => {
    if (!(firstElementChild instanceof HTMLElement)) return
    setElement(firstElementChild)
    giveUp.current()
    giveUp.current = openLater(() => setOpen(true))
  }
  const enter = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return
    const wait = performance.now() - closedAt < SKIPS_WITHIN ? 0 : OPENS_AFTER
    reach(event, (show) => {
      const timer = setTimeout(show, wait)
      return () => clearTimeout(timer)
    })
  }
  const focus = (event: FocusEvent) => {
    if (!event.target.matches(':focus-visible')) return
    // The focus may scroll the page, and scrolling closes a tooltip. A frame begins with the events of scrolling.
    reach(event, (show) => {
      const frame = requestAnimationFrame(show)
      return () => cancelAnimationFrame(frame)
    })
  }
  return (
    <>
      <span
        className="contents"
        onPointerEnter={enter}
        // An open tooltip stays while the pointer moves onto it: the primitive handles that.
        onPointerLeave={() => giveUp.current()}
        onPointerDown={() => change(false)}
        onFocus={focus}
        onBlur={() => change(false)}
      >
        {children}
      </span>
      {element && (
        <TooltipPopup element={element} open={open} onOpenChange={change}>
          {content}
        </TooltipPopup>
      )}
    </>
  )
}
