import { QueryClientProvider } from '@tanstack/react-query'
import { render, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { presets, presetTerms } from '#services/programmes/programmes/presets.ts'
import { createQueryClient } from '@/query-client.ts'
import { ProgrammeEditor } from './programme-editor.tsx'
import { draftProgramme } from './programme-queries.ts'

const NO_NAME = 'expected a text'

beforeEach(() => {
  vi.stubGlobal('fetch', async () => Response.json({ general: [], stages: [] }))
  render(
    <QueryClientProvider client={createQueryClient(vi.fn(), vi.fn())}>
      <ProgrammeEditor
        title="New Programme"
        initial={{ ...presetTerms('two-step', 100_000), name: '' }}
        presets={presets}
        change={draftProgramme}
        inputOf={(terms) => terms}
        onClose={() => {}}
      />
    </QueryClientProvider>,
  )
})
afterEach(() => vi.unstubAllGlobals())

const form = () => within(screen.getByLabelText('Terms as a form'))
const nameField = () => form().getAllByLabelText('Name')[0] ?? document.body
const words = () => screen.getByLabelText('Terms in words').textContent

it('shows no fault before something is typed', () => {
  expect(screen.queryByText(NO_NAME)).toBeNull()
  expect(words()).toBe('The terms stand here in words once all fields are filled in.')
})

it('shows the fault of a field that was changed, and of no other', () => {
  fireEvent.change(form().getByLabelText('Zone'), { target: { value: 'Europe/Atlantis' } })
  expect(form().getByText('expected the IANA name of a time zone, like "Europe/Prague"')).toBeTruthy()
  expect(screen.queryByText(NO_NAME)).toBeNull()
  fireEvent.change(nameField(), { target: { value: 'Summer' } })
  fireEvent.change(nameField(), { target: { value: '' } })
  expect(form().getByText(NO_NAME)).toBeTruthy()
})

it('shows all faults at the attempt to save', () => {
  fireEvent.click(screen.getByText('Save Draft'))
  expect(form().getByText(NO_NAME)).toBeTruthy()
  expect(words()).toContain(`name${NO_NAME}`)
})

it('shows all faults of terms that are written as JSON', () => {
  const terms = { ...presetTerms('two-step', 100_000), name: '' }
  fireEvent.change(screen.getByLabelText('Terms as JSON'), { target: { value: JSON.stringify(terms) } })
  expect(form().getByText(NO_NAME)).toBeTruthy()
})

it('starts from a preset, and keeps the name', () => {
  const preset = screen.getByLabelText<HTMLSelectElement>('Start from')
  expect(preset.value).toBe('two-step-100000')
  fireEvent.change(nameField(), { target: { value: 'Summer' } })
  fireEvent.change(preset, { target: { value: 'one-step-50000' } })
  expect(JSON.parse(screen.getByLabelText<HTMLTextAreaElement>('Terms as JSON').value)).toEqual({
    ...presetTerms('one-step', 50_000),
    name: 'Summer',
  })
})
