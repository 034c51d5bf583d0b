import { type Ref, useImperativeHandle } from 'react'

interface FocusPlaceholderProps {
  readonly element: HTMLElement
  readonly ref?: Ref<HTMLElement>
}

/**
 * Stands, inside a primitive that wants to make its trigger itself, for an element that is there already. So menus and
 * tooltips are made when somebody reaches for them, and what they stand on stays as it is and keeps the focus.
 */
export function FocusPlaceholder({ element, ref }: FocusPlaceholderProps) {
  useImperativeHandle(ref, () => element, [element])
  return null
}
