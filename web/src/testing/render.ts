import { render as renderAlone } from '@testing-library/react'
import type { ReactNode } from 'react'
import { TooltipProvider } from '@/ui/tooltip.tsx'

/** Renders what a page is made of, within what is around all pages. */
export function render(children: ReactNode) {
  return renderAlone(children, { wrapper: TooltipProvider })
}
