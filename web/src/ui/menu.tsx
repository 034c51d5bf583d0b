import { Ellipsis } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, type MouseEvent, type ReactNode, useId, useState } from 'react'
import { IconButton } from './button.tsx'
import type * as Parts from './menu-popup.tsx'
import { lazyPart } from '../lazy-page.ts'

let parts: typeof Parts | undefined
const load = async () => (parts = await import('./menu-popup.tsx'))
const MenuPopup = lazyPart(() => load().then(({ MenuPopup }) => MenuPopup))

// The parts of an open menu are rendered after it has loaded. They do not suspend, so that its first item is there when the menu appears.

/** An action of a menu. */
export function MenuItem(props: ComponentProps<typeof Parts.MenuItem>) {
  return parts && <parts.MenuItem {...props} />
}

/** Separates groups of actions. */
export function MenuSeparator() {
  return parts && <parts.MenuSeparator />
}

interface MenuProps {
  /** Name of its button: 'Actions for Ada Lovelace'. */
  readonly label: string
  /** The chosen action is running. */
  readonly busy?: boolean
  /** Rendered when the menu opens. */
  readonly children: ReactNode
}

/**
 * A menu on a button with three dots. Tables have one in each row and few are ever opened, so the menu loads on first
 * use.
 */
export function Menu({ label, busy = false, children }: MenuProps) {
  const id = useId()
  const [opened, setOpened] = useState<{ readonly button: HTMLElement; readonly byKey: boolean }>()
  const [open, setOpen] = useState(false)
  const reach = () => void load()
  const openAt = (button: HTMLElement, byKey: boolean) => {
    setOpened({ button, byKey })
    setOpen(true)
  }
  // A click with detail 0 comes from Enter or Space.
  const click = ({ currentTarget, detail }: MouseEvent<HTMLButtonElement>) => (open ? setOpen(false) : openAt(currentTarget, detail === 0))
  const press = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.key !== 'ArrowDown' || busy) return
    event.preventDefault()
    openAt(event.currentTarget, true)
  }
  return (
    <>
      <IconButton
        id={id}
        className="size-8!"
        label={label}
        busy={busy}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? `${id}-menu` : undefined}
        onPointerEnter={reach}
        onFocus={reach}
        onClick={click}
        onKeyDown={press}
      >
        {!busy && <Ellipsis size={16} aria-hidden />}
      </IconButton>
      {opened && (
        <MenuPopup {...opened} id={`${id}-menu`} open={open} onOpenChange={setOpen}>
          {children}
        </MenuPopup>
      )}
    </>
  )
}
