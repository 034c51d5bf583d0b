import * as Primitive from '@radix-ui/react-dropdown-menu'
import { clsx } from 'clsx'
import { useState, type ReactNode } from 'react'

interface MenuProps {
  /** The button that opens it; it must have a name. */
  readonly trigger: ReactNode
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
}

/** A menu on a button. Not modal: nothing outside is hidden from assistive technology, and no style element is made. */
export function Menu({ trigger, children, align = 'end' }: MenuProps) {
  // In the page's main part and not beside it, so that it belongs to a landmark.
  const [main, setMain] = useState<HTMLElement | null>(null)
  return (
    <Primitive.Root modal={false} onOpenChange={(open) => open && setMain(document.getElementById('main'))}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal container={main}>
        <Primitive.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-70 min-w-48 animate-appear rounded-lg border border-line bg-card p-1 shadow-float"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

interface MenuItemProps {
  readonly onSelect: () => void
  readonly disabled?: boolean
  readonly dangerous?: boolean
  readonly icon?: ReactNode
  readonly children: ReactNode
}

/** An action of a menu. A disabled one is told as disabled, not left out. */
export function MenuItem({ onSelect, disabled = false, dangerous = false, icon, children }: MenuItemProps) {
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
      {icon}
      {children}
    </Primitive.Item>
  )
}

export function MenuSeparator() {
  return <Primitive.Separator className="my-1 h-px bg-line" />
}
