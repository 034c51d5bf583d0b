import * as Primitive from '@radix-ui/react-tooltip'
import { type ReactNode, useEffect, useId } from 'react'
import { FocusPlaceholder } from './focus-placeholder.tsx'

interface TooltipPopupProps {
  /** The described element. */
  readonly element: HTMLElement
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly children: ReactNode
}

/** The open tooltip. */
export function TooltipPopup({ element, open, onOpenChange, children }: TooltipPopupProps) {
  const id = useId()
  useEffect(() => {
    if (!open) return
    element.setAttribute('aria-describedby', id)
    return () => element.removeAttribute('aria-describedby')
  }, [element, open, id])
  return (
    <Primitive.Provider>
      <Primitive.Root open={open} onOpenChange={onOpenChange}>
        <Primitive.Trigger asChild>
          <FocusPlaceholder element={element} />
        </Primitive.Trigger>
        <Primitive.Portal>
          <Primitive.Content
            id={id}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-80 animate-appear rounded-md bg-ink px-2.5 py-1.5 text-12 text-paper shadow-float"
          >
            {children}
          </Primitive.Content>
        </Primitive.Portal>
      </Primitive.Root>
    </Primitive.Provider>
  )
}
