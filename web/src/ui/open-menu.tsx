import * as Primitive from '@radix-ui/react-dropdown-menu'
import { clsx } from 'clsx'
import { createElement, type FocusEvent, type ReactElement, type ReactNode, useRef, useState } from 'react'

/** What an open menu is made of: it loads with the first menu that opens. */

// Their types let these return a text.
const Root = (props: Primitive.DropdownMenuProps) => createElement(Primitive.Root, props)
const Portal = (props: Primitive.DropdownMenuPortalProps) => createElement(Primitive.Portal, props)

export interface OpenMenuProps {
  readonly button: ReactElement
  /** The key that opened it came before this code, which would have moved the focus to the first action. */
  readonly startsOnItem: boolean
  readonly children: ReactNode
}

/**
 * A menu that is open from its beginning. It is not modal: a modal one would hide the page from assistive technology
 * and add a style element. It opens inside `<main>`, so that it belongs to a landmark.
 */
export function OpenMenu({ button, startsOnItem, children }: OpenMenuProps) {
  const [main] = useState(() => document.getElementById('main'))
  const hasStarted = useRef(!startsOnItem)
  const startOnItem = ({ target, currentTarget }: FocusEvent<HTMLElement>) => {
    if (hasStarted.current || target !== currentTarget) return
    hasStarted.current = true
    currentTarget.querySelector<HTMLElement>('[role=menuitem]:not([data-disabled])')?.focus({ preventScroll: true })
  }
  return (
    <Root modal={false} defaultOpen>
      <Primitive.Trigger asChild>{button}</Primitive.Trigger>
      <Portal container={main}>
        <Primitive.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onFocus={startOnItem}
          className="z-70 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 animate-appear rounded-lg border border-line bg-card p-1 shadow-float overflow-y-auto"
        >
          {children}
        </Primitive.Content>
      </Portal>
    </Root>
  )
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
        'flex min-h-9 cursor-pointer items-center gap-2 rounded-md px-2.5 text-14 outline-none data-[highlighted]:bg-hover',
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
