import type { Attributes, ElementType, ExoticComponent, JSX as ReactJSX, ReactElement, ReactNode } from 'react'
import * as react from 'react/jsx-runtime'

/**
 * The compiler turns JSX into calls of this module. Translators of browsers replace a text by elements of their own, and
 * React, which still holds the text, then changes what nobody sees and fails when it inserts or removes beside it. So a
 * text here is the only child of its element: text that stands together becomes one, and beside elements it gets a
 * `span`.
 */

export { Fragment } from 'react/jsx-runtime'

/** An element; the key is separate. */
export function jsx(type: ElementType, props: Props, key?: string): ReactElement {
  return react.jsx(type, withoutBareText(type, props), key)
}

/** An element with children in fixed places, which need no keys. */
export function jsxs(type: ElementType, props: Props, key?: string): ReactElement {
  const shown = withoutBareText(type, props)
  return Array.isArray(shown.children) ? react.jsxs(type, shown, key) : react.jsx(type, shown, key)
}

/** The properties that both give to React. */
export function withoutBareText(type: ElementType, props: Props): Props {
  const { children } = props
  const shown = Array.isArray(children) ? separated(children) : children
  // Where these stand, their text has siblings. An element or a component gets it as its only child.
  if (typeof type === 'symbol' && isText(shown)) return { ...props, children: span(shown) }
  return shown === children ? props : { ...props, children: shown }
}

export interface Props {
  readonly children?: ReactNode
}

/** Children keep their places, since React knows them by these. */
function separated(children: readonly ReactNode[]): ReactNode {
  const joined: ReactNode[] = []
  // The place of the text to which the next one is added.
  let open: number | undefined
  children.forEach((child, place) => {
    if (!isText(child)) {
      joined.push(child)
      if (!isNothing(child)) open = undefined
    } else if (open === undefined) {
      joined.push(String(child))
      open = place
    } else {
      joined[open] = `${String(joined[open])}${child}`
      joined.push(null)
    }
  })
  const shown = joined.filter((child) => !isNothing(child))
  const [only] = shown
  if (shown.length === 1 && isText(only)) return only
  return joined.map((child, place) => (isText(child) ? span(child, `text ${place}`) : child))
}

const span = (children: ReactNode, key?: string) => react.jsx('span', { children }, key)

function isText(child: ReactNode): child is string | number | bigint {
  return (typeof child === 'string' && child !== '') || typeof child === 'number' || typeof child === 'bigint'
}

function isNothing(child: ReactNode): boolean {
  return child === null || child === undefined || child === '' || typeof child === 'boolean'
}

type Drawn = ReactElement | readonly Drawn[] | false | null | undefined

/** The compiler of types asks this module for these. */
export declare namespace JSX {
  /** Tags, and components that return elements: a text that a component returned would stand bare beside others. */
  type ElementType = keyof ReactJSX.IntrinsicElements | ((props: never) => Drawn) | ExoticComponent<never>
  type Element = ReactJSX.Element
  type ElementAttributesProperty = ReactJSX.ElementAttributesProperty
  type ElementChildrenAttribute = ReactJSX.ElementChildrenAttribute
  type LibraryManagedAttributes<Type, Props> = ReactJSX.LibraryManagedAttributes<Type, Props>
  type IntrinsicAttributes = Attributes
  type IntrinsicElements = ReactJSX.IntrinsicElements
}
