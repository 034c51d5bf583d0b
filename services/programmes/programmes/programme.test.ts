import { describe, expect, it } from 'vitest'
import { givenEvents } from '#test-support/given-when-then.ts'
import { programmeTerms } from '#services/rules/programme.ts'
import {
  changeDraft,
  draftProgramme,
  draftVersion,
  offeredVersion,
  programmeDecider,
  type ProgrammeEvent,
  publishPreset,
  publishVersion,
  recordTrial,
  requestTrial,
  retireVersion,
} from './programme.ts'
import { presets, presetTerms } from './presets.ts'

const given = givenEvents(programmeDecider)

const [terms, otherTerms] = [presetTerms('one-step', 100_000), presetTerms('two-step', 100_000)]
const [first, second] = [
  { terms, hash: 'a'.repeat(64) },
  { terms: otherTerms, hash: 'b'.repeat(64) },
]
const drafted: ProgrammeEvent = { type: 'ProgrammeDrafted', data: { version: 1, ...first } }
const changed: ProgrammeEvent = { type: 'ProgrammeDraftChanged', data: { version: 1, ...second } }
const tried: ProgrammeEvent = {
  type: 'ProgrammeTried',
  data: { version: 1, hash: first.hash, accounts: 3, differences: 1 },
}
const published: ProgrammeEvent = { type: 'ProgrammePublished', data: { version: 1, hash: first.hash } }
const retired: ProgrammeEvent = { type: 'ProgrammeRetired', data: { version: 1 } }
const draftedAgain: ProgrammeEvent = { type: 'ProgrammeDrafted', data: { version: 2, ...second } }

describe('a programme', () => {
  it('begins with a draft, once', () => {
    given()
      .when((programme) => draftProgramme(programme, first))
      .then([drafted])
    given(drafted)
      .when((programme) => draftProgramme(programme, second))
      .thenNothing()
  })

  it('gets further versions, which are numbered on', () => {
    given(drafted, tried, published)
      .when((programme) => draftVersion(programme, second))
      .then([draftedAgain])
    given()
      .when((programme) => draftVersion(programme, second))
      .thenRefused('not-found', 'Programme not found')
  })
})

describe('payouts', () => {
  const publishedBy = (decisions: number | undefined, payoutsEnabled?: 'when-funded' | 'by-staff') => {
    const terms = { ...first.terms, ...(payoutsEnabled && { payoutsEnabled }) }
    const { state } = given({ type: 'ProgrammeDrafted', data: { version: 1, ...first, terms } })
    const [version] = programmeDecider.evolve(state, { ...published, at: 0, revision: 1, decisions })
    return [state[0]?.enablesPayouts, version?.enablesPayouts]
  }

  it('are enabled with the funded stage, but by staff where 0.2.0 published it or the terms say so', () => {
    expect(publishedBy(2)).toEqual([false, true])
    expect(publishedBy(undefined)).toEqual([false, false])
    expect(publishedBy(2, 'by-staff')).toEqual([false, false])
    expect(publishedBy(2, 'when-funded')).toEqual([false, true])
  })
})

describe('a draft', () => {
  it('is changed, and not by the same terms again', () => {
    given(drafted)
      .when((programme) => changeDraft(programme, 1, second))
      .then([changed])
    given(drafted)
      .when((programme) => changeDraft(programme, 1, first))
      .thenNothing()
    given(drafted)
      .when((programme) => changeDraft(programme, 2, first))
      .thenRefused('not-found', 'Version not found')
  })

  it('never changes once it was published', () => {
    for (const events of [[published], [published, retired]])
      given(drafted, tried, ...events)
        .when((programme) => changeDraft(programme, 1, second))
        .thenRefused('conflict', 'A version that was published never changes. Draft a new version instead.')
  })

  it('is published with the terms that were seen, after their what-if', () => {
    given(drafted, tried)
      .when((programme) => publishVersion(programme, 1, first.hash))
      .then([published])
    given(drafted)
      .when((programme) => publishVersion(programme, 1, first.hash))
      .thenRefused('conflict', 'Run the what-if of these terms first')
    given(drafted, tried, changed)
      .when((programme) => publishVersion(programme, 1, second.hash))
      .thenRefused('conflict', 'Run the what-if of these terms first')
    given(drafted, tried, changed)
      .when((programme) => publishVersion(programme, 1, first.hash))
      .thenRefused('conflict', 'The draft has changed since. Look at its terms again.')
    given(drafted, tried, published)
      .when((programme) => publishVersion(programme, 1, first.hash))
      .thenRefused('conflict', 'This version was published already')
  })

  it('has a what-if over the accounts of the programme, of which there are none before a first publication', () => {
    given(drafted)
      .when((programme) => requestTrial(programme, 1))
      .then([{ type: 'ProgrammeTried', data: { version: 1, hash: first.hash, accounts: 0, differences: 0 } }])
    for (const events of [[published], [published, retired]])
      given(drafted, tried, ...events, draftedAgain)
        .when((programme) => requestTrial(programme, 2))
        .then([{ type: 'ProgrammeTrialRequested', data: { version: 2, hash: second.hash } }])
    given(drafted, tried, published)
      .when((programme) => requestTrial(programme, 1))
      .thenRefused('conflict', 'The what-if is for drafts: this version is published')
  })

  it('has a what-if only of the terms that it has', () => {
    const result = { hash: first.hash, accounts: 3, differences: 1 }
    given(drafted)
      .when((programme) => recordTrial(programme, 1, result))
      .then([tried])
    given(drafted, changed)
      .when((programme) => recordTrial(programme, 1, result))
      .thenNothing()
    given(drafted, tried, published)
      .when((programme) => recordTrial(programme, 1, result))
      .thenNothing()
  })
})

describe('a published version', () => {
  it('is retired, once', () => {
    given(drafted, tried, published)
      .when((programme) => retireVersion(programme, 1))
      .then([retired])
    given(drafted, tried, published, retired)
      .when((programme) => retireVersion(programme, 1))
      .thenNothing()
    given(drafted)
      .when((programme) => retireVersion(programme, 1))
      .thenRefused('conflict', 'A draft is offered to nobody')
  })

  it('is what traders enrol in, the newest of several, none once it is retired', () => {
    const publishedAgain: ProgrammeEvent = { type: 'ProgrammePublished', data: { version: 2, hash: second.hash } }
    const both = [drafted, tried, published, draftedAgain]
    expect(offeredVersion(given(drafted).state)).toBeUndefined()
    expect(offeredVersion(given(...both).state)?.number).toBe(1)
    expect(offeredVersion(given(...both, publishedAgain).state)?.number).toBe(2)
    expect(offeredVersion(given(drafted, tried, published, retired).state)).toBeUndefined()
  })
})

describe('the presets', () => {
  it('are valid programmes under names of their own', () => {
    for (const preset of presets) expect(programmeTerms.parse(preset.terms)).toEqual(preset.terms)
    expect(new Set(presets.map(({ terms: { name } }) => name)).size).toBe(12)
  })

  it('are published once', () => {
    given()
      .when((programme) => publishPreset(programme, first))
      .then([
        drafted,
        { type: 'ProgrammeTried', data: { version: 1, hash: first.hash, accounts: 0, differences: 0 } },
        published,
      ])
    given(drafted, published)
      .when((programme) => publishPreset(programme, second))
      .thenNothing()
  })
})
