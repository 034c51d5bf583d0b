import { render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { NewPasswordInput } from './new-password-input.tsx'

function Form({ error }: { readonly error?: string }) {
  const [typed, setTyped] = useState('')
  return (
    <NewPasswordInput
      label="Password"
      error={error}
      typed={typed}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}

it('shows the strength of a new password, and why it is too easy to guess', async () => {
  const user = userEvent.setup()
  render(<Form />)
  const field = screen.getByLabelText('Password')
  const status = screen.getByRole('status')
  expect(status.textContent).toBe('')
  await user.type(field, 'aaaaaaaa')
  await screen.findByText('Too easy to guess: it repeats a character')
  await user.clear(field)
  expect(status.textContent).toBe('')
  await user.type(field, 'summerday7')
  await screen.findByText('Strength: fair')
  await user.type(field, ' under the lantern')
  await screen.findByText('Strength: strong')
})

it('does not say a second time what the server has refused', async () => {
  const user = userEvent.setup()
  const { rerender } = render(<Form />)
  await user.type(screen.getByLabelText('Password'), 'aaaaaaaa')
  await screen.findByText('Too easy to guess: it repeats a character')
  rerender(<Form error="This password is too easy to guess: it repeats a character" />)
  expect(screen.getByRole('status').textContent).toBe('')
})
