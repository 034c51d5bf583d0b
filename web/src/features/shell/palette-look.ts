/** The palette's classes, shared with its loading state. */
export const PALETTE =
  'fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-32px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-card shadow-float'
export const PALETTE_INPUT = 'h-12 w-full border-b border-line bg-card px-4 text-16 outline-none'
export const PALETTE_ASKS = 'Go to a page or find a trader'
