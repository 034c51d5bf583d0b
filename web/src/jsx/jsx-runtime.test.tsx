import { render } from '@testing-library/react'
import { Fragment, type ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { Button } from '@/ui/button.tsx'
import { DateText } from '@/ui/text.tsx'

/** Replaces texts as the translators of browsers do. */
function translate(root: Element) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const texts: Node[] = []
  while (walker.nextNode()) texts.push(walker.currentNode)
  for (const text of texts) {
    const font = document.createElement('font')
    font.append(document.createElement('font'))
    font.firstElementChild?.append(text.textContent ?? '')
    text.parentNode?.replaceChild(font, text)
  }
}

/** The text of a translated page after each of these was shown in turn. */
function read(...shown: readonly ReactNode[]): (string | null)[] {
  const { container, rerender } = render(<main />)
  return shown.map((one) => {
    rerender(<main>{one}</main>)
    const { textContent } = container
    translate(container)
    return textContent
  })
}

describe('a text on a page that the browser translates', () => {
  it('lets a button become busy and idle again, which replaced the page by an error', () => {
    const sent = (busy: boolean) => <Button busy={busy}>Login</Button>
    expect(read(sent(false), sent(true), sent(false))).toEqual(['Login', 'Login', 'Login'])
  })

  it('changes with what it says, beside whatever stands there', () => {
    const left = (count: number, last = false) => (
      <p>
        {count} of {5} left{last && <b>!</b>}, to <em>Ada</em>
        {count > 1 && 's'}
      </p>
    )
    expect(read(left(2), left(1, true), left(3))).toEqual([
      '2 of 5 left, to Adas',
      '1 of 5 left!, to Ada',
      '3 of 5 left, to Adas',
    ])
  })

  it('changes where a fragment holds it alone at first, and beside something later', () => {
    const start = (asOf?: string) => (
      <p>
        <>
          {asOf === undefined ? 'In US dollars' : 'Started with $9'}
          {asOf !== undefined && <b>{asOf}</b>}
        </>
      </p>
    )
    expect(read(start(), start(', today'), start())).toEqual([
      'In US dollars',
      'Started with $9, today',
      'In US dollars',
    ])
  })

  it('changes where one sentence takes the place of another with the same elements', () => {
    const said = (paid: boolean) =>
      paid ? (
        <p>
          Paid on <b>Monday</b>.
        </p>
      ) : (
        <p>
          Due on <b>Tuesday</b>, at noon
        </p>
      )
    expect(read(said(false), said(true), said(false))).toEqual([
      'Due on Tuesday, at noon',
      'Paid on Monday.',
      'Due on Tuesday, at noon',
    ])
  })

  it('goes away where an element, or nothing, comes instead', () => {
    const shown = (children: ReactNode) => (
      <p>
        <Fragment key="own">{children}</Fragment>
        <i>, by Ada</i>
      </p>
    )
    expect(read(shown('None'), shown(<b>One</b>), shown(null), shown(2))).toEqual([
      'None, by Ada',
      'One, by Ada',
      ', by Ada',
      '2, by Ada',
    ])
    const date = (at: string | null) => <DateText at={at} how="day" />
    expect(read(date(null), date('2026-03-14'), date(null))).toEqual(['N/A', '2026-03-14', 'N/A'])
  })

  it('stays one text where it stands alone, as an option and a title need it', () => {
    const { container } = render(
      <option>
        {2} of {'USD'}
      </option>,
    )
    expect(container.innerHTML).toBe('<option>2 of USD</option>')
  })

  it('leaves what stands beside it in its place, with what was typed there', () => {
    const form = (note: string) => (
      <p>
        {note} to <input aria-label="Name" />
      </p>
    )
    const { container, rerender } = render(form(''))
    const field = container.querySelector('input')
    rerender(form('Send'))
    expect(container.querySelector('input')).toBe(field)
  })
})
