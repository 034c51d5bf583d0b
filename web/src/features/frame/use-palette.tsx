import { Suspense, useEffect, useState } from 'react'
import { type CommandSource, PALETTE, PALETTE_ASKS, PALETTE_INPUT } from './palette-commands.ts'
import { lazyComponent } from '@/lazy-page.ts'

const Palette = lazyComponent(() => import('./palette.tsx').then(({ Palette }) => Palette))

/** The palette with these commands, and the function that opens it; Ctrl/⌘ K opens it too. It loads on first use. */
export function usePalette(sources: readonly CommandSource[]) {
  const [opened, setOpened] = useState<{ readonly opener: Element | null }>()
  const [typed, setTyped] = useState<string>()
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      const opener = document.activeElement
      setTyped(undefined)
      setOpened((before) => (before ? undefined : { opener }))
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  const close = () => setOpened(undefined)
  const giveUp = () => {
    close()
    if (opened?.opener instanceof HTMLElement) opened.opener.focus()
  }
  return {
    open: () => {
      setTyped(undefined)
      setOpened({ opener: document.activeElement })
    },
    palette: opened && (
      <Suspense fallback={<PaletteOpening typed={typed} onType={setTyped} onClose={giveUp} />}>
        <Palette sources={sources} initial={typed} opener={opened.opener} onClose={close} />
      </Suspense>
    ),
  }
}

interface PaletteOpeningProps {
  readonly typed: string | undefined
  readonly onType: (typed: string) => void
  readonly onClose: () => void
}

/** Replaces the palette while it loads, and keeps what is typed. */
function PaletteOpening({ typed = '', onType, onClose }: PaletteOpeningProps) {
  // Tells the palette that it is already visible.
  useEffect(() => onType(''), [onType])
  return (
    <div role="dialog" aria-label="Search and commands" aria-busy data-dialog className={`${PALETTE} animate-appear`}>
      <input
        ref={(input) => input?.focus()}
        aria-label="Search and commands"
        value={typed}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
        placeholder={PALETTE_ASKS}
        className={PALETTE_INPUT}
      />
    </div>
  )
}
