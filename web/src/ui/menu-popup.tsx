import * as Primitive from '@radix-ui/react-dropdown-menu'
import { clsx } from 'clsx'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { FocusPlaceholder } from './focus-placeholder.tsx'

interface MenuPopupProps {
  readonly id: string
  /** The button that opens the menu. */
  readonly button: HTMLElement
  readonly open: boolean
  /** Opened by a key: the first item gets the focus. */
  readonly byKey: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly children: ReactNode
}

/** The open menu. Not modal: a modal one would hide the page from assistive technology and add a style element. */
export function MenuPopup({ id, button, open, byKey, onOpenChange, children }: MenuPopupProps) {
  // Inside <main>, so that it belongs to a landmark.
  const [main] = useState(() => document.getElementById('main'))
  return (
    <Primitive.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <Primitive.Trigger asChild>
        <FocusPlaceholder element={button} />
      </Primitive.Trigger>
      <Primitive.Portal container={main}>
        <Primitive.Content
          id={id}
          aria-labelledby={button.id}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onInteractOutside={(event) => {
            const { target } = event.detail.originalEvent
            // The menu's button closes the menu by itself.
            if (target instanceof Node && button.contains(target)) event.preventDefault()
          }}
          className="z-70 min-w-48 animate-appear rounded-lg border border-line bg-card p-1 shadow-float"
        >
          {byKey && <FocusOnFirst />}
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

/** The primitive focuses the first item only for keys it has seen, and it mounts after the one that opened the menu. */
function FocusOnFirst() {
  const marker = useRef<HTMLSpanElement>(null)
  useEffect(() => marker.current?.parentElement?.querySelector<HTMLElement>('[role=menuitem]:not([aria-disabled=true])')?.focus(), [])
  return <span ref={marker} hidden />
}

interface MenuItemProps {
  readonly onSelect: () => void
  readonly disabled?: boolean
  readonly dangerous?: boolean
  readonly children: ReactNode
}

/** An action of a menu. Disabled actions stay visible. */
export function MenuItem({ onSelect, disabled = false, dangerous = false, children }: MenuItemProps) {
  return (
    <Primitive.Item
      disabled={disabled}
      onSelect={onSelect}
      className={clsx(
        'flex h-9 cursor-pointer items-center gap-2 rounded-md px-2.5 text-14 outline-none data-[highlighted]:bg-hover',
        'data-[disabled]:cursor-not-allowed data-[disabled]:opacity-50',
        dangerous && 'text-bad',
      )}
    >
      {children}
    </Primitive.Item>
  )
}

/** Separates groups of actions. */
export function MenuSeparator() {
  return <Primitive.Separator className="my-1 h-px bg-line" />
}
