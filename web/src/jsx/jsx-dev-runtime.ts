import type { ElementType, ReactElement } from 'react'
import * as react from 'react/jsx-dev-runtime'
import { type Props, withoutBareText } from './jsx-runtime.ts'

/** As jsx-runtime.ts, for development: React says where an element was written. */

export { Fragment } from 'react/jsx-runtime'

export function jsxDEV(
  type: ElementType,
  props: Props,
  key: string | undefined,
  isStatic: boolean,
  source?: react.JSXSource,
  self?: unknown,
): ReactElement {
  const shown = withoutBareText(type, props)
  return react.jsxDEV(type, shown, key, isStatic && Array.isArray(shown.children), source, self)
}
