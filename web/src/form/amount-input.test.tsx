import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { money } from '#services/framework/api/money.ts'
import { AmountInput } from './amount-input.tsx'
import { useApiForm } from './api-form.ts'

const schema = z.object({ amount: money({ subject: 'Amount', most: 100_000_000, positive: true }) })

function Form({ send }: { readonly send: (amount: string) => void }) {
  const { field, getValues, handleSubmit, setValue, watch } = useApiForm(schema, { amount: '' })
  return (
    <form noValidate onSubmit={handleSubmit(() => send(getValues().amount))}>
      <AmountInput label="Amount" hint="In US dollars" {...field('amount')} />
      <button type="button" onClick={() => setValue('amount', '99.00', { shouldDirty: true })}>
        Take
      </button>
      <button type="submit">Send</button>
      <output>{watch('amount')}</output>
    </form>
  )
}

const user = userEvent.setup()
const show = () => {
  const send = vi.fn<(amount: string) => void>()
  render(<Form send={send} />)
  const field = screen.getByLabelText<HTMLInputElement>('Amount')
  return { send, field, type: (text: string) => user.type(field, text) }
}
const press = (name: string) => user.click(screen.getByRole('button', { name }))

describe('a field for an amount', () => {
  it('sends what was read, by Enter and by the button, and says it while it is typed', async () => {
    const { send, field, type } = show()
    await type('10,50')
    screen.getByText('Read as $10.50')
    await user.keyboard('{Enter}')
    expect([field.value, send.mock.calls]).toEqual(['10.50', [['10.50']]])
    await user.clear(field)
    await type('1.250,00')
    await press('Send')
    expect([field.value, send.mock.lastCall, screen.getByRole('status').textContent]).toEqual([
      '1250.00',
      ['1250.00'],
      '1250.00',
    ])
    screen.getByText('In US dollars')
  })

  it('takes what is pasted from a page', async () => {
    const { send, field } = show()
    await user.click(field)
    await user.paste('$1,350.00')
    await press('Send')
    expect(send.mock.calls).toEqual([['1350.00']])
  })

  it('sends nothing that has two readings, and names both until the text is another', async () => {
    const { send, field, type } = show()
    await type('1.000')
    await press('Send')
    screen.getByText('“1.000” can mean $1.00 or $1,000.00. Please type it with two decimal places')
    expect([field.value, field.getAttribute('aria-invalid'), send.mock.calls]).toEqual(['1.000', 'true', []])
    await press('Take')
    expect(screen.queryByText(/can mean/)).toBeNull()
    await press('Send')
    expect(send.mock.calls).toEqual([['99.00']])
  })

  it('leaves what is no amount to the messages of the form', async () => {
    const { send, type } = show()
    await type('ten')
    await press('Send')
    screen.getByText('Amount must be a valid number')
    expect(send).not.toHaveBeenCalled()
  })
})
