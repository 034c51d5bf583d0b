import { Ellipsis } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, type ReactNode, Suspense, useState } from 'react'
import { lazyComponent } from '@/lazy-page.ts'
import type { OpenMenuProps } from './open-menu.tsx'
import { MissingOverPage } from './missing-part.tsx'
import { IconButton, type IconButtonProps } from './button.tsx'

const load = () => import('./open-menu.tsx')
const OpenMenu = lazyComponent<OpenMenuProps & { readonly onClose: () => void }>(
  () => load().then(({ OpenMenu }) => OpenMenu),
  MissingMenu,
)
export const MenuItem = lazyComponent(() => load().then(({ MenuItem }) => MenuItem))
export const MenuSeparator = lazyComponent(() => load().then(({ MenuSeparator }) => MenuSeparator))

function MissingMenu({ button, onClose }: Pick<OpenMenuProps, 'button'> & { readonly onClose: () => void }) {
  return (
    <>
      {button}
      <MissingOverPage onClose={onClose} />
    </>
  )
}

interface MenuProps {
  /** Name of its button: 'Actions for Ada Lovelace'. */
  readonly label: string
  /** The chosen action is running. */
  readonly busy?: boolean
  /** Rendered while the menu is open. */
  readonly children: ReactNode
}

/**
 * A menu on a button with three dots. Tables have one in each row, so its code, which places it anywhere, loads when
 * somebody reaches for one.
 */
export function Menu({ label, busy = false, children }: MenuProps) {
  const [openedBy, setOpenedBy] = useState<'pointer' | 'keyboard'>()
  const prepare = () => void load().catch(() => {})
  const openByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    setOpenedBy('keyboard')
  }
  // Enter and Space click as well, without a pointer that has clicked any number of times.
  const open = ({ detail }: MouseEvent) => setOpenedBy(detail === 0 ? 'keyboard' : 'pointer')
  const button = (props: Partial<IconButtonProps>) => (
    <IconButton className="size-8!" label={label} busy={busy} aria-haspopup="menu" {...props}>
      {!(props.busy ?? busy) && <Ellipsis size={16} aria-hidden />}
    </IconButton>
  )
  if (openedBy !== undefined)
    return (
      <Suspense fallback={button({ busy: true })}>
        <OpenMenu button={button({})} startsOnItem={openedBy === 'keyboard'} onClose={() => setOpenedBy(undefined)}>
          {children}
        </OpenMenu>
      </Suspense>
    )
  return button({
    onClick: open,
    onKeyDown: openByKey,
    onPointerEnter: prepare,
    onFocus: prepare,
  })
}
