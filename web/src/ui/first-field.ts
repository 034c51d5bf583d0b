/**
 * The field of the page that a person types into first, where the page begins with typing (`data-begins-with-typing`)
 * and a keyboard is at hand: on a phone its own would cover the page, so a touch opens it.
 */
export function firstField(): HTMLElement | null {
  if (!matchMedia('(hover: hover) and (pointer: fine)').matches) return null
  return document.querySelector('main[data-begins-with-typing] input')
}
