import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** What the tests of a day by keyboard share. */

/**
 * Runs in a page before its own code: letter keys write as on a Russian keyboard. Where somebody types a text, they have
 * changed to Latin letters.
 */
export function writeCyrillic(): void {
  const [latin, cyrillic] = ['qwertyuiopasdfghjklzxcvbnm', 'йцукенгшщзфывапролдячсмить']
  const property = Object.getOwnPropertyDescriptor(KeyboardEvent.prototype, 'key')
  if (!property?.get) throw new Error('No key')
  const { get } = property
  Object.defineProperty(KeyboardEvent.prototype, 'key', {
    ...property,
    get(this: KeyboardEvent): unknown {
      const written: unknown = get.call(this)
      const place = latin.indexOf(/^Key([A-Z])$/.exec(this.code)?.[1]?.toLowerCase() ?? '-')
      const types =
        this.target instanceof Element && this.target.matches('input:not([type=checkbox]), textarea, select')
      if (place < 0 || (types && !this.ctrlKey && !this.metaKey)) return written
      const letter = cyrillic.charAt(place)
      return this.shiftKey ? letter.toUpperCase() : letter
    },
  })
}

/** Goes to a page by the palette. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).waitFor()
  await page.keyboard.type(name)
  await page
    .getByRole('option', { name: new RegExp(name) })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
}

/** Moves to it with the Tab key, and presses a key there. */
export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await target.waitFor()
  const hasFocus = () => target.evaluate((element) => element === document.activeElement)
  for (let pressed = 0; !(await hasFocus()); pressed++) {
    if (pressed > 400) throw new Error(`The Tab key does not reach ${String(target)}`)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press(key)
}

/** Escape, and the browser's Back, ask before what is typed is lost. */
export async function slip(page: Page): Promise<void> {
  const slips = {
    'Discard what you typed?': () => page.keyboard.press('Escape'),
    'Leave without saving?': () => page.evaluate(() => history.back()),
  }
  for (const [question, happens] of Object.entries(slips)) {
    await happens()
    await page
      .getByRole('alertdialog', { name: question })
      .getByRole('button', { name: 'Cancel' })
      .and(page.locator(':focus'))
      .waitFor()
    // The page listens for the question's keys once it is drawn, and the focus returns a moment after it is gone.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await page.locator('[data-dialog]:focus-within').waitFor()
  }
}

/** No toast lies over the dialog or the row that has the focus. */
export async function expectNothingCovered(page: Page): Promise<void> {
  const covered = await page.evaluate(() => {
    const toasts = [...document.querySelectorAll('[aria-label^=Notification] li')]
    const inUse = [...document.querySelectorAll('[role=dialog]'), document.activeElement ?? document.body]
    return inUse
      .filter((one) => one !== document.body)
      .filter((one) => {
        const { top, bottom, left, right } = one.getBoundingClientRect()
        return toasts.some((toast) => {
          const box = toast.getBoundingClientRect()
          return box.bottom > top && box.top < bottom && box.right > left && box.left < right
        })
      })
      .map(({ textContent }) => textContent.slice(0, 100))
  })
  expect(covered, 'below a toast').toEqual([])
}
