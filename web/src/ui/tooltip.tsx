import { useEffect, useSyncExternalStore, type ComponentType, type ReactNode } from 'react'

/** What shows a tooltip is loaded when a pointer first moves or a key is pressed: no page waits for it. */

export interface TooltipProps {
  /** More about what it stands on; never the only place of something that matters. */
  readonly content: ReactNode
  /** One element that takes a ref: a button, a link, or a `span tabIndex={0}`. */
  readonly children: ReactNode
}

let Loaded: ComponentType<TooltipProps> | undefined
const listeners = new Set<() => void>()

async function load(): Promise<void> {
  Loaded = (await import('./tooltip-popup.tsx')).TooltipPopup
  for (const listener of listeners) listener()
}

/** Loads tooltips with the first movement in the page. For the frame around pages. */
export function useTooltips(): void {
  useEffect(() => {
    const once = new AbortController()
    const begin = () => {
      once.abort()
      void load()
    }
    for (const kind of ['pointermove', 'pointerdown', 'keydown']) addEventListener(kind, begin, { signal: once.signal, passive: true })
    return () => once.abort()
  }, [])
}

/** Shows more on pointing at something or reaching it by keyboard. */
export function Tooltip({ content, children }: TooltipProps) {
  const Popup = useSyncExternalStore(subscribe, () => Loaded)
  return Popup ? <Popup content={content}>{children}</Popup> : children
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
