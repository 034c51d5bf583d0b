import {
  cloneElement,
  type HTMLAttributes,
  type PointerEvent,
  type FocusEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'

/**
 * From pointing at something until its tooltip opens; within the second time after another one it opens at once
 * (specification §9). In ms.
 */
const [OPEN_DELAY, SKIP_DELAY] = [700, 300]
/** For the pointer's way from the trigger to the tooltip, which may be read and selected, in ms. */
const LEAVE_DELAY = 150
/** Between tooltip and trigger, and between tooltip and the edge of the window, in px. */
const [GAP, MARGIN] = [6, 8]

let lastOpenAt = -Infinity

interface TooltipProps {
  /** Additional information, never the only place of something important. */
  readonly content: ReactNode
  /** One element without handlers of its own: a time, a link, or a `span tabIndex={0}`. */
  readonly children: ReactElement<HTMLAttributes<HTMLElement>>
}

/**
 * Shows more on hover or keyboard focus. Ours, since every page has dates, and a library that places anything anywhere
 * is a twentieth of the first load.
 */
export function Tooltip({ content, children }: TooltipProps) {
  const id = useId()
  /** While it is open. */
  const [trigger, setTrigger] = useState<HTMLElement>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const after = (ms: number, work: () => void) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(work, ms)
  }
  const close = () => {
    clearTimeout(timer.current)
    if (trigger) lastOpenAt = performance.now()
    setTrigger(undefined)
  }
  const leave = () => (trigger ? after(LEAVE_DELAY, close) : close())
  const stay = () => clearTimeout(timer.current)
  useEffect(() => stay, [])

  const point = ({ pointerType, currentTarget }: PointerEvent<HTMLElement>) => {
    // A finger that taps something means to follow it.
    if (pointerType === 'touch') return
    if (trigger) return stay()
    const opensAtOnce = performance.now() - lastOpenAt < SKIP_DELAY
    after(opensAtOnce ? 0 : OPEN_DELAY, () => setTrigger(currentTarget))
  }
  const focus = ({ target, currentTarget }: FocusEvent<HTMLElement>) => {
    // A focus by a click or a script opens nothing. One by a key may scroll the page, and scrolling closes a tooltip: a
    // frame begins with the events of scrolling.
    if (target.matches(':focus-visible'))
      requestAnimationFrame(() => document.activeElement === target && setTrigger(currentTarget))
  }
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: point,
        onPointerLeave: leave,
        onPointerDown: close,
        onFocus: focus,
        onBlur: close,
        ...(trigger && { 'aria-describedby': id }),
      })}
      {trigger &&
        createPortal(
          <Bubble id={id} trigger={trigger} onClose={close} onPointerEnter={stay} onPointerLeave={leave}>
            {content}
          </Bubble>,
          document.body,
        )}
    </>
  )
}

interface BubbleProps extends HTMLAttributes<HTMLElement> {
  readonly trigger: HTMLElement
  readonly onClose: () => void
}

/** Above its trigger, or below where there is no room. Escape and scrolling close it. */
function Bubble({ trigger, onClose, ...rest }: BubbleProps) {
  const bubble = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = bubble.current
    if (!element) return
    const [at, { width, height }] = [trigger.getBoundingClientRect(), element.getBoundingClientRect()]
    const above = at.top - GAP - height
    const most = document.documentElement.clientWidth - MARGIN - width
    const left = Math.max(MARGIN, Math.min(at.left + (at.width - width) / 2, most))
    element.style.top = `${above < MARGIN ? at.bottom + GAP : above}px`
    element.style.left = `${left}px`
  })
  useEffect(() => {
    const end = new AbortController()
    const options = { capture: true, signal: end.signal }
    addEventListener('scroll', onClose, options)
    // Before a dialog hears it: one Escape closes one thing.
    addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      },
      options,
    )
    return () => end.abort()
  })
  return (
    <div
      ref={bubble}
      role="tooltip"
      className="fixed top-0 left-0 z-80 w-max max-w-80 animate-appear rounded-md bg-ink px-2.5 py-1.5 text-12 text-paper shadow-float"
      {...rest}
    />
  )
}
