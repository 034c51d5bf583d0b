import { render, fireEvent, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { faultsOf } from '#services/framework/api/faults.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { ProgrammeVersionAnswer } from '#services/programmes/programmes/programme-api.ts'
import { type JsonObject, Members } from './schema-fields.tsx'

const { terms: programmeTerms } = ProgrammeVersionAnswer.shape
const schema = z.toJSONSchema(programmeTerms)

/** Shows a programme in the form; returns what it says after each change. */
function form(terms: z.input<typeof programmeTerms>) {
  let latest: unknown = terms
  function Form() {
    const [json, setJson] = useState<JsonObject>(z.record(z.string(), z.json()).parse(terms))
    latest = json
    const { error } = programmeTerms.safeParse(json)
    const faults = error ? faultsOf(error) : new Map<string, string>()
    return (
      <Members schema={schema} value={json} path="" faults={faults} onChange={(next) => setJson(withObject(next))} />
    )
  }
  render(<Form />)
  return {
    terms: () => latest,
    faults: () => [...faultsOf(programmeTerms.safeParse(latest).error ?? new z.ZodError([]))],
  }
}

const withObject = (next: unknown) => z.record(z.string(), z.json()).parse(next)

it('has a field for every parameter of a programme, and changes it at its place', () => {
  const { terms } = form(presetTerms('two-step', 100_000))
  fireEvent.change(screen.getByLabelText('Zone'), { target: { value: 'Europe/Prague' } })
  fireEvent.change(screen.getByLabelText('First after days'), { target: { value: '30' } })
  fireEvent.change(screen.getByLabelText('Breaches'), { target: { value: 'automatically' } })
  const preset = presetTerms('two-step', 100_000)
  const [first, second, funded] = preset.stages
  if (!funded?.funded) throw new Error('The last stage is funded')
  expect(terms()).toEqual({
    ...preset,
    day: { ...preset.day, zone: 'Europe/Prague' },
    breaches: 'automatically',
    stages: [first, second, { ...funded, payouts: { ...funded.payouts, firstAfterDays: 30 } }],
  })
})

it('shows a fault at its field', () => {
  form(presetTerms('one-step', 5_000))
  const zone = screen.getByLabelText('Zone')
  fireEvent.change(zone, { target: { value: 'Europe/Atlantis' } })
  expect(zone.getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByText('expected the IANA name of a time zone, like "Europe/Prague"')).toBeTruthy()
})

it.each(['Maximum loss', 'Daily loss', 'Profit target', 'Minimum days', 'Maximum days', 'Inactivity', 'Consistency'])(
  'adds a rule of the kind %s with all its parameters',
  (kind) => {
    const { terms, faults } = form(presetTerms('one-step', 5_000))
    const stage = within(screen.getByRole('group', { name: 'Stage 1' }))
    fireEvent.click(stage.getByRole('button', { name: 'Add Rule' }))
    const rule = within(stage.getByRole('group', { name: 'Rule 4' }))
    const [choice] = rule.getAllByLabelText('Kind')
    if (!choice) throw new Error('A rule has a kind')
    const option = within(choice).getByRole<HTMLOptionElement>('option', { name: kind })
    fireEvent.change(choice, { target: { value: option.value } })
    expect(terms()).toMatchObject({ stages: [{ rules: { 3: { kind: kind.toLowerCase().replace(' ', '-') } } }, {}] })
    // Texts and numbers are empty; no parameter is missing or too many.
    for (const [place, message] of faults()) expect([place, message]).not.toEqual([place, 'expected no such field'])
    for (const [place] of faults()) expect(place).toMatch(/\.(amount|percent|share|days)$/)
  },
)

it('takes away what may be null, and gives it back', () => {
  const { terms } = form(presetTerms('one-step', 5_000))
  const stage = within(screen.getByRole('group', { name: 'Stage 2' }))
  const payouts = within(stage.getByRole('group', { name: 'Payouts' }))
  const cap = within(payouts.getByRole('group', { name: 'Cap for' })).getByLabelText('Kind')
  fireEvent.change(cap, { target: { value: '0' } })
  expect(terms()).toMatchObject({ stages: [{}, { payouts: { capFor: 0 } }] })
  fireEvent.change(within(payouts.getByRole('group', { name: 'Cap for' })).getByLabelText('Cap for'), {
    target: { value: '3' },
  })
  expect(terms()).toMatchObject({ stages: [{}, { payouts: { capFor: 3 } }] })
  fireEvent.change(cap, { target: { value: '1' } })
  expect(terms()).toMatchObject({ stages: [{}, { payouts: { capFor: null } }] })
})
