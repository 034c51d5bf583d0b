import { createStore } from './store.ts'

/** Typing and filling in, as every keyboard, input method and password manager does it. */

/** The signs that a keyboard without Latin letters writes on a letter's key, by the letter: { j: 'о' } in Russian. */
export const lettersOfLayout = createStore<Readonly<Record<string, string>>>({})

/** The Latin letter of a key, lower case: what it writes, else what is in its place on a Latin keyboard. */
export function letterOf({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? []
  if (letter === undefined || /^\p{Script=Latin}/u.test(key)) return key.toLowerCase()
  const latin = letter.toLowerCase()
  if (/^\p{L}+$/u.test(key) && lettersOfLayout.get()[latin] !== key.toLowerCase())
    lettersOfLayout.set({ ...lettersOfLayout.get(), [latin]: key.toLowerCase() })
  return latin
}

/** Key code of what an input method takes. Safari says it for the last key, too, when the composition has ended. */
const TAKEN = 229

/** While an input method composes, its keys are its own: Escape takes back what is composed, and closes nothing. */
export function leaveComposingKeys(): void {
  const stop = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === TAKEN) event.stopImmediatePropagation()
  }
  addEventListener('keydown', stop, { capture: true })
}

/**
 * A browser or a password manager may fill a field and tell nobody: before a form is sent, and where a pointer or a key
 * comes to it, each of its fields says what is in it unless React has written that. Until then a button that needs it
 * would stay disabled. Selects are left out: there React passes on everything, and a choice that empties other fields
 * would be made again.
 */
export function readFilledFields(): void {
  const read = ({ target }: Event) => {
    const place = target instanceof Element ? target.closest('form, [data-dialog]') : undefined
    for (const field of place?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
      'input:not([type=file]), textarea',
    ) ?? [])
      if (field.value !== field.defaultValue) field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  for (const event of ['pointerover', 'keydown', 'submit']) addEventListener(event, read, { capture: true })
}
