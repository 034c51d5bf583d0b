import { type Ref, useImperativeHandle } from 'react'

interface FocusPlaceholderProps {
  readonly element: HTMLElement
  readonly ref?: Ref<HTMLElement>
}

/**
 * Represents an existing element inside a primitive that expects to render its trigger. Menus and tooltips can then load
 * on first use, while the element keeps the focus.
 */
export function FocusPlaceholder({ element, ref }: FocusPlaceholderProps) {
  useImperativeHandle(ref, () => element, [element])
  return null
}
