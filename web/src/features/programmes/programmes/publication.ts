import type { z } from 'zod'
import { type DraftedVersion, programmeRoutes, type WhatIf } from '#services/programmes/programmes/programme-api.ts'
import { programmeDraftRoutes } from '#services/programmes/programmes/programme-draft-api.ts'
import { get, send, sendAndParse } from '@/api/api.ts'
import { ApiError, messageOf } from '@/api/api-error.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import type { Existing } from './family.ts'
import type { Terms, VersionName } from './programme-queries.ts'

/**
 * Several programmes are saved and published together. Where nobody is enrolled, the what-if that a publication needs
 * says nothing, so it is asked for here; otherwise the draft waits until somebody has seen it.
 */

/** What is saved for one size. */
export interface Writ {
  readonly terms: Terms
  readonly programme?: Existing | undefined
}

type Drafted = z.infer<typeof DraftedVersion>

/** What became of one of them. `to-see`: accounts live under the programme, and its what-if was not seen. */
export interface Outcome {
  readonly name: string
  readonly state: 'saved' | 'published' | 'to-see' | 'failed'
  readonly drafted: Drafted | undefined
  readonly problem?: string
}

/** How often a what-if is looked at while it looks for accounts, in ms. */
const PAUSE = 300

/** Saves all as drafts, and publishes those whose what-if says nothing, if asked to. */
export const saveTogether = staffChange({
  send: async ({ writs, publishes }: { readonly writs: readonly Writ[]; readonly publishes: boolean }) => {
    const outcomes: Outcome[] = []
    for (const writ of writs) outcomes.push(await outcomeOf(writ, publishes))
    return outcomes
  },
  done: (_, outcomes) => toldOf(outcomes),
  failed: () => 'The programmes were not saved',
})

async function outcomeOf({ terms, programme }: Writ, publishes: boolean): Promise<Outcome> {
  let drafted: Drafted | undefined
  const { name } = terms
  try {
    drafted = await saved(terms, programme)
    if (!publishes) return { name, state: 'saved', drafted }
    return { name, state: (await publishedUnseen(drafted)) ? 'published' : 'to-see', drafted }
  } catch (error) {
    // The end of the session is told in one place.
    if (error instanceof ApiError && error.status === 401) throw error
    return { name, state: 'failed', drafted, problem: messageOf(error) }
  }
}

function saved(terms: Terms, programme: Existing | undefined): Promise<Drafted> {
  const body = { terms }
  if (!programme) return sendAndParse(programmeDraftRoutes.draftProgramme, { body })
  const { id, draft } = programme
  return draft === null
    ? sendAndParse(programmeDraftRoutes.draftProgrammeVersion, { params: { id }, body })
    : sendAndParse(programmeDraftRoutes.changeProgrammeDraft, { params: { id, version: String(draft) }, body })
}

/**
 * Publishes a draft where nobody is enrolled.
 *
 * @returns false where accounts live under the programme: their what-if is to be seen first.
 * @throws {ApiError}
 */
async function publishedUnseen({ id, version, hash }: Pick<Drafted, 'id' | 'version' | 'hash'>): Promise<boolean> {
  const params = { id, version: String(version) }
  await send(programmeRoutes.tryProgrammeDraft, { params })
  let whatIf: WhatIf
  do {
    whatIf = await get(programmeRoutes.programmeWhatIf, { params, query: {} })
    if (whatIf.accounts > 0) return false
    if (whatIf.state === 'running') await new Promise((resolve) => setTimeout(resolve, PAUSE))
  } while (whatIf.state === 'running')
  await send(programmeRoutes.publishProgramme, { params, body: { hash } })
  return true
}

/** Publishes a draft where nobody is enrolled, else shows its what-if first. */
export const publishUnseen = staffChange({
  send: (draft: VersionName & { readonly hash: string }) => publishedUnseen(draft),
  done: ({ name, version }, isPublished) =>
    isPublished
      ? ['Programme published', `${name}, version ${version}, is for new enrolments.`]
      : ['Not published yet', 'Traders are enrolled: look at the what-if, then publish.'],
  failed: () => 'The programme was not published',
})

/** Publishes drafts whose what-ifs were seen. */
export const publishSeen = staffChange({
  send: async (drafts: readonly (Drafted & { readonly name: string })[]) => {
    for (const { id, version, hash } of drafts)
      await send(programmeRoutes.publishProgramme, { params: { id, version: String(version) }, body: { hash } })
  },
  done: (drafts) => [
    drafts.length === 1 ? 'Programme published' : 'Programmes published',
    drafts.map(({ name }) => name).join(', '),
  ],
  failed: () => 'Not all programmes were published',
})

function toldOf(outcomes: readonly Outcome[]): readonly [title: string, text: string] {
  const names = (state: Outcome['state']) => outcomes.filter((each) => each.state === state).map(({ name }) => name)
  const [failed, unseen, published] = [names('failed'), names('to-see'), names('published')]
  if (failed.length > 0) return [outcomes.length === 1 ? 'Not saved' : 'Not all were saved', failed.join(', ')]
  if (unseen.length > 0) return ['Saved as drafts', `Look at the what-if first: ${unseen.join(', ')}`]
  if (published.length > 0)
    return [published.length === 1 ? 'Programme published' : 'Programmes published', published.join(', ')]
  return [outcomes.length === 1 ? 'Draft saved' : 'Drafts saved', names('saved').join(', ')]
}
