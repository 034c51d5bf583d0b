import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { Select, TextInput } from './field.tsx'

describe('the message at a field', () => {
  it('is a sentence for the person who types, whatever the schema says', () => {
    for (const [message, said] of [
      ['expected a column', 'Please choose a column'],
      ['expected a time zone like Europe/Prague', 'Please enter a time zone like Europe/Prague'],
      ['expected 1 or more', 'Please enter 1 or more'],
      ['not an account of this trader', 'Not an account of this trader'],
      ['Amount must be greater than 0', 'Amount must be greater than 0'],
    ] as const) {
      const { unmount } = render(<TextInput label="Field" error={message} />)
      expect(screen.getByText(said)).toBeTruthy()
      unmount()
    }
  })
})

describe('a choice', () => {
  it('offers options under their headings, after those without one', () => {
    const options = [
      { value: 'all', label: 'Everything' },
      { value: 'bans', label: 'Bans', group: 'People' },
      { value: 'payouts', label: 'Payouts', group: 'Payments' },
      { value: 'emails', label: 'Emails', group: 'People' },
    ]
    render(<Select label="Kind" placeholder="Decisions" options={options} />)
    const shown = [...screen.getByLabelText('Kind').children].map((each) =>
      each instanceof HTMLOptGroupElement
        ? `${each.label}: ${[...each.children].map(({ textContent }) => textContent).join(', ')}`
        : each.textContent,
    )
    expect(shown).toEqual(['Decisions', 'Everything', 'People: Bans, Emails', 'Payments: Payouts'])
  })
})
