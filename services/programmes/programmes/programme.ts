import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type AppendedEvent, defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type ProgrammeTerms, programmeTerms } from '#services/rules/programme.ts'
import type { VersionState } from './programme-api.ts'

/**
 * A programme: the terms that the firm offers, in versions. A draft is changed until it is published; what was published
 * never changes, a new version is for new enrolments (docs/decisions/048-programmes.md).
 */

/** Counted from 1. */
const version = z.int()
/** Lower-case hex SHA-256 of the terms' canonical JSON (RFC 8785). */
const hash = z.string()

export const programmeEvents = defineEvents({
  ProgrammeDrafted: { version, terms: programmeTerms, hash },
  ProgrammeDraftChanged: { version, terms: programmeTerms, hash },
  /** The what-if of a draft is to be computed over the accounts of the programme. */
  ProgrammeTrialRequested: { version, hash },
  /** The what-if of a draft has been computed over so many accounts, in so many of which something differs. */
  ProgrammeTried: {
    ...{ version, hash, accounts: z.int(), differences: z.int() },
    /** SHA-256 of its result. 0.2.0 recorded none, and there is none where nothing was to be compared. */
    sha256: z.string().optional(),
  },
  ProgrammePublished: { version, hash },
  ProgrammeRetired: { version },
})
export type ProgrammeEvent = EventOf<typeof programmeEvents>

/** Terms with their hash. */
export interface HashedTerms {
  readonly terms: ProgrammeTerms
  readonly hash: string
}

export interface ProgrammeVersion extends HashedTerms {
  readonly state: VersionState
  /** The what-if that has finished last. */
  readonly tried: Trial | null
  /** Whether an account may ask for payouts as soon as its funded stage opens (rules.md). False for a draft. */
  readonly enablesPayouts: boolean
}

/** What the log says of a what-if. */
export interface Trial {
  /** Of the terms. */
  readonly hash: string
  readonly accounts: number
  readonly differences: number
  readonly sha256?: string | undefined
}

/** The versions of a programme: the first is version 1. Empty where there is no such programme. */
export type Programme = readonly ProgrammeVersion[]

export const programmeDecider: Decider<Programme, ProgrammeEvent> = {
  initial: [],
  evolve(versions: Programme, event: AppendedEvent<ProgrammeEvent>): Programme {
    switch (event.type) {
      case 'ProgrammeDrafted':
        return [...versions, { terms: event.data.terms, hash: event.data.hash, ...newDraft }]
      case 'ProgrammeDraftChanged':
        return replaced(versions, event.data.version, { terms: event.data.terms, hash: event.data.hash })
      case 'ProgrammeTrialRequested':
        return versions
      case 'ProgrammeTried': {
        const { version: number, ...tried } = event.data
        return replaced(versions, number, { tried })
      }
      case 'ProgrammePublished':
        return replaced(versions, event.data.version, {
          state: 'published',
          enablesPayouts: enablesPayouts(versions[event.data.version - 1], event.decisions),
        })
      case 'ProgrammeRetired':
        return replaced(versions, event.data.version, { state: 'retired' })
    }
  },
}

const newDraft = { state: 'draft', tried: null, enablesPayouts: false } as const

/** Where the terms say nothing, what 0.2.0 published leaves it to staff. */
function enablesPayouts(version: ProgrammeVersion | undefined, decisions: number | undefined): boolean {
  const { payoutsEnabled = decisions === undefined ? 'by-staff' : 'when-funded' } = version?.terms ?? {}
  return payoutsEnabled === 'when-funded'
}

function replaced(versions: Programme, number: number, change: Partial<ProgrammeVersion>): Programme {
  return versions.map((each, n) => (n === number - 1 ? { ...each, ...change } : each))
}

/** Begins a programme with the draft of its first version. */
export function draftProgramme(programme: Programme, draft: HashedTerms): ProgrammeEvent[] {
  return programme.length > 0 ? [] : [{ type: 'ProgrammeDrafted', data: { version: 1, ...draft } }]
}

/** Adds the draft of a further version. @throws {Refused} not-found */
export function draftVersion(programme: Programme, draft: HashedTerms): ProgrammeEvent[] {
  if (programme.length === 0) throw new Refused('not-found', NO_PROGRAMME)
  return [{ type: 'ProgrammeDrafted', data: { version: programme.length + 1, ...draft } }]
}

/** Changes a draft; the same terms again change nothing. @throws {Refused} not-found, conflict */
export function changeDraft(programme: Programme, number: number, draft: HashedTerms): ProgrammeEvent[] {
  const before = existingVersion(programme, number)
  if (before.state !== 'draft')
    throw new Refused('conflict', 'A version that was published never changes. Draft a new version instead.')
  return before.hash === draft.hash ? [] : [{ type: 'ProgrammeDraftChanged', data: { version: number, ...draft } }]
}

/**
 * Asks for the what-if of a draft. Nobody has enrolled before a first version is published: then there is nothing to
 * compare.
 *
 * @throws {Refused} not-found, conflict
 */
export function requestTrial(programme: Programme, number: number): ProgrammeEvent[] {
  const { state, hash } = existingVersion(programme, number)
  if (state !== 'draft') throw new Refused('conflict', 'The what-if is for drafts: this version is published')
  if (programme.every((version) => version.state === 'draft'))
    return recordTrial(programme, number, { hash, accounts: 0, differences: 0 })
  return [{ type: 'ProgrammeTrialRequested', data: { version: number, hash } }]
}

/** Records the what-if of a draft. Nothing for terms that the draft no longer has. @throws {Refused} not-found */
export function recordTrial(programme: Programme, number: number, result: Trial): ProgrammeEvent[] {
  const { state, hash } = existingVersion(programme, number)
  if (state !== 'draft' || hash !== result.hash) return []
  return [{ type: 'ProgrammeTried', data: { version: number, ...result } }]
}

/**
 * Publishes a draft, as a person has seen it.
 *
 * @param seen The hash of the terms that the person has seen, with their what-if.
 * @throws {Refused} not-found, conflict
 */
export function publishVersion(programme: Programme, number: number, seen: string): ProgrammeEvent[] {
  const { state, hash, tried } = existingVersion(programme, number)
  if (state !== 'draft') throw new Refused('conflict', 'This version was published already')
  if (hash !== seen) throw new Refused('conflict', 'The draft has changed since. Look at its terms again.')
  if (tried?.hash !== hash) throw new Refused('conflict', 'Run the what-if of these terms first')
  return [{ type: 'ProgrammePublished', data: { version: number, hash } }]
}

/** Takes a published version out of the offer: nobody enrols in it any more. @throws {Refused} not-found, conflict */
export function retireVersion(programme: Programme, number: number): ProgrammeEvent[] {
  const { state } = existingVersion(programme, number)
  if (state === 'draft') throw new Refused('conflict', 'A draft is offered to nobody')
  return state === 'retired' ? [] : [{ type: 'ProgrammeRetired', data: { version: number } }]
}

/** Drafts and publishes the terms that a new portal begins with, once. No account lives under other terms yet. */
export function publishPreset(programme: Programme, preset: HashedTerms): ProgrammeEvent[] {
  if (programme.length > 0) return []
  const { hash } = preset
  return [
    ...draftProgramme(programme, preset),
    { type: 'ProgrammeTried', data: { version: 1, hash, accounts: 0, differences: 0 } },
    { type: 'ProgrammePublished', data: { version: 1, hash } },
  ]
}

const NO_PROGRAMME = 'Programme not found'

/** @throws {Refused} not-found */
export function existingVersion(programme: Programme, number: number): ProgrammeVersion {
  const version = programme[number - 1]
  if (!version) throw new Refused('not-found', programme.length === 0 ? NO_PROGRAMME : 'Version not found')
  return version
}

/** The version that a trader enrols in: the newest published one. Undefined without one. */
export function offeredVersion<Version extends Pick<ProgrammeVersion, 'state'>>(
  programme: readonly Version[],
): { number: number; version: Version } | undefined {
  const n = programme.findLastIndex(({ state }) => state === 'published')
  const version = programme[n]
  return version && { number: n + 1, version }
}

export const programmeStreams = aggregate('programme', programmeDecider, programmeEvents, null)
