import * as Primitive from '@radix-ui/react-tooltip'
import { useSyncExternalStore } from 'react'
import type { TooltipProps } from './tooltip.tsx'

/** Opens after 700 ms; within 300 ms of another one at once (specification §9). */
const OPENS_AFTER = 700
const SKIPS_WITHIN = 300

// Kept here and not in one provider around the app, which would have to be there before the first page.
let justShown = false
let cooling: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function tell(shown: boolean): void {
  clearTimeout(cooling)
  if (shown) set(true)
  else cooling = setTimeout(() => set(false), SKIPS_WITHIN)
}

function set(value: boolean): void {
  justShown = value
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The tooltip itself, with what it stands on. */
export function TooltipPopup({ content, children }: TooltipProps) {
  const atOnce = useSyncExternalStore(subscribe, () => justShown)
  return (
    <Primitive.Provider delayDuration={atOnce ? 0 : OPENS_AFTER}>
      <Primitive.Root onOpenChange={tell}>
        <Primitive.Trigger asChild>{children}</Primitive.Trigger>
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
    </Primitive.Provider>
  )
}
