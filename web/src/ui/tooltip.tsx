import { type FocusEvent, type PointerEvent, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { lazyPart } from '../lazy-page.ts'

/** Opens after 700 ms, or at once within 300 ms after another tooltip (specification §9). */
const OPENS_AFTER = 700
const SKIPS_WITHIN = 300

const load = () => import('./tooltip-popup.tsx')
const TooltipPopup = lazyPart(() => load().then((module) => ({ default: module.TooltipPopup })))

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
  const opening = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(opening.current), [])
  const change = (next: boolean) => {
    clearTimeout(opening.current)
    if (open && !next) closedAt = performance.now()
    setOpen(next)
  }
  const reach = ({ currentTarget: { firstElementChild } }: { readonly currentTarget: Element }, wait: number) => {
    if (!(firstElementChild instanceof HTMLElement)) return
    setElement(firstElementChild)
    clearTimeout(opening.current)
    if (wait === 0) setOpen(true)
    else opening.current = setTimeout(() => setOpen(true), wait)
  }
  const enter = (event: PointerEvent) => {
    if (event.pointerType !== 'touch') reach(event, performance.now() - closedAt < SKIPS_WITHIN ? 0 : OPENS_AFTER)
  }
  const focus = (event: FocusEvent) => {
    if (event.target.matches(':focus-visible')) reach(event, 0)
  }
  return (
    <>
      <span
        className="contents"
        onPointerEnter={enter}
        // An open tooltip stays while the pointer moves onto it: the primitive handles that.
        onPointerLeave={() => clearTimeout(opening.current)}
        onPointerDown={() => change(false)}
        onFocus={focus}
        onBlur={() => change(false)}
      >
        {children}
      </span>
      {element && (
        <Suspense>
          <TooltipPopup element={element} open={open} onOpenChange={change}>
            {content}
          </TooltipPopup>
        </Suspense>
      )}
    </>
  )
}
