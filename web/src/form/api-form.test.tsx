import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { StrictMode } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ApiError } from '@/api/api-error.ts'
import { shownToast } from '@/toast.ts'
import { TextInput } from '@/ui/field.tsx'
import { useApiForm } from './api-form.ts'

const schema = z
  .object({
    city: z.string().min(1, 'Required').regex(/^\D*$/, 'No digits'),
    limits: z.object({ day: z.string() }),
    repeated: z.string(),
  })
  .refine(({ city, repeated }) => city === repeated, { error: 'Not the same', path: ['repeated'], when: () => true })

interface FormProps {
  readonly city?: string
  readonly day?: string
  readonly send?: (values: z.infer<typeof schema>) => void
  /** The server's answer to the second button. */
  readonly refusal?: Error
}

function Form({ city = '', day = '', send = () => {}, refusal = new Error() }: FormProps) {
  const { field, formState, handleSubmit, reportRefusal, reset } = useApiForm(schema, {
    city,
    limits: { day },
    repeated: '',
  })
  return (
    <form noValidate onSubmit={handleSubmit(send)}>
      <TextInput label="City" {...field('city', { deps: 'repeated' })} />
      <TextInput label="Repeated" {...field('repeated')} />
      <TextInput label="Limit of a day" {...field('limits.day')} />
      <button type="submit">Save</button>
      <button type="button" onClick={() => reportRefusal('Not saved')(refusal)}>
        Refuse
      </button>
      <button type="button" onClick={reset}>
        {formState.isDirty ? 'Undo' : 'Nothing to undo'}
      </button>
    </form>
  )
}

const user = userEvent.setup()
const show = (props: FormProps) => {
  const { rerender } = render(<Form {...props} />, { wrapper: StrictMode })
  return (next: FormProps) => rerender(<Form {...next} />)
}
const input = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const press = (name: string) => user.click(screen.getByRole('button', { name }))
/** The message that belongs to a field. */
const messageAt = (label: string) =>
  document.getElementById(input(label).getAttribute('aria-describedby') ?? '')?.textContent

/** React and the form library report misuse there. */
let reports: ReturnType<typeof vi.spyOn>
beforeEach(() => {
  reports = vi.spyOn(console, 'error')
})
afterEach(() => {
  vi.useRealTimers()
  expect(reports).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

describe('a form of a call', () => {
  it('shows the first message of each field at the first submit, then at each change, and focuses the first', async () => {
    const send = vi.fn()
    show({ send })
    await user.type(input('Repeated'), 'Paris')
    expect(messageAt('City')).toBeUndefined()
    await press('Save')
    await waitFor(() => expect(messageAt('City')).toBe('Required'))
    expect(messageAt('Repeated')).toBe('Not the same')
    expect(document.activeElement).toBe(input('City'))
    await user.keyboard('7')
    await waitFor(() => expect(messageAt('City')).toBe('No digits'))
    expect(send).not.toHaveBeenCalled()
  })

  it('leaves the focus where the person types after the first submit', async () => {
    show({})
    await user.type(input('Repeated'), 'Paris')
    vi.useFakeTimers()
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await act(async () => {})
    fireEvent.input(input('City'), { target: { value: 'P' } })
    await act(async () => {})
    act(() => void vi.runAllTimers())
    expect(messageAt('City')).toBeUndefined()
    expect(messageAt('Repeated')).toBe('Not the same')
    expect(document.activeElement).toBe(input('City'))
  })

  it('checks the fields that are compared with a changed one, and sends what the schema makes of the values', async () => {
    const send = vi.fn()
    show({ send })
    await user.type(input('Repeated'), 'Paris')
    await press('Save')
    await waitFor(() => expect(messageAt('Repeated')).toBe('Not the same'))
    await user.type(input('City'), 'Paris')
    await waitFor(() => expect(messageAt('Repeated')).toBeUndefined())
    await press('Save')
    await waitFor(() => expect(send).toHaveBeenCalledOnce())
    expect(send.mock.calls[0]?.[0]).toEqual({ city: 'Paris', limits: { day: '' }, repeated: 'Paris' })
  })

  it("shows the server's messages at their fields, focuses the first, and says it in a toast", async () => {
    const fields = { 'limits.day': 'Too high', repeated: 'Unknown', unrelated: 'Shown nowhere' }
    show({ refusal: new ApiError(422, 'Please check the fields', fields) })
    await press('Refuse')
    await waitFor(() => expect(messageAt('Limit of a day')).toBe('Too high'))
    expect(messageAt('Repeated')).toBe('Unknown')
    expect(messageAt('City')).toBeUndefined()
    expect(document.activeElement).toBe(input('Repeated'))
    expect(shownToast.get()).toMatchObject({ title: 'Not saved', description: 'Please check the fields' })
    // The same answer again.
    await user.click(input('City'))
    await press('Refuse')
    await waitFor(() => expect(document.activeElement).toBe(input('Repeated')))
  })

  it('follows later initial values in unedited fields, and returns to them', async () => {
    const follow = show({ city: 'Paris', day: '5%' })
    expect([input('City').value, input('Limit of a day').value]).toEqual(['Paris', '5%'])
    screen.getByRole('button', { name: 'Nothing to undo' })
    await user.type(input('City'), ' and Rome')
    follow({ city: 'Oslo', day: '4%' })
    expect([input('City').value, input('Limit of a day').value]).toEqual(['Paris and Rome', '4%'])
    await press('Undo')
    expect([input('City').value, input('Limit of a day').value]).toEqual(['Oslo', '4%'])
    screen.getByRole('button', { name: 'Nothing to undo' })
    follow({ city: 'Bern', day: '4%' })
    expect(input('City').value).toBe('Bern')
    await user.type(input('City'), 'e')
    expect(input('City').value).toBe('Berne')
    screen.getByRole('button', { name: 'Undo' })
  })

  it('keeps its messages when the initial values change', async () => {
    const follow = show({ day: '5%' })
    await press('Save')
    await waitFor(() => expect(messageAt('City')).toBe('Required'))
    follow({ day: '4%' })
    expect(messageAt('City')).toBe('Required')
    await user.type(input('City'), '7')
    await waitFor(() => expect(messageAt('City')).toBe('No digits'))
  })
})
