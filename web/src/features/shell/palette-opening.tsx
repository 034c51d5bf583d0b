import { useEffect } from 'react'

/** How the palette looks, from its first moment on. */
export const PALETTE =
  'fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-32px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-card shadow-float'
export const PALETTE_INPUT = 'h-12 w-full border-b border-line bg-card px-4 text-16 outline-none'
export const PALETTE_ASKS = 'Go to a page, or find somebody'

interface PaletteOpeningProps {
  readonly typed: string | undefined
  readonly onType: (typed: string) => void
  readonly onClose: () => void
}

/** Stands in for the palette while it is being loaded, so that nothing is lost of what is typed meanwhile. */
export function PaletteOpening({ typed = '', onType, onClose }: PaletteOpeningProps) {
  // Tells the palette that somebody looks at it already.
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
