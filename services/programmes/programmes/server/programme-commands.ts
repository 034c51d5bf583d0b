import { done } from '#services/framework/http/serve-route.ts'
import { newId } from '#services/identity/authentication/random-id.ts'
import type { ProgrammesParts } from '#services/programmes/parts.ts'
import { type ProgrammeId, programmeId } from '#services/framework/ids.ts'
import type { Commands } from '#services/framework/module.ts'
import type { programmeRoutes } from '../programme-api.ts'
import type { programmeDraftRoutes } from '../programme-draft-api.ts'
import {
  changeDraft,
  draftProgramme,
  draftVersion,
  existingVersion,
  type Programme,
  programmeStreams,
  publishPreset,
  publishVersion,
  requestTrial,
  retireVersion,
} from '../programme.ts'
import { termsInWords } from '#services/rules/terms-in-words.ts'
import { hashedTerms } from './terms-hash.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { INSTALLATION_ID, installationStreams } from '#services/framework/streams/installation.ts'
import { presets } from '../presets.ts'

/** Drafts, what-ifs, publications and retirements of programmes. */
export function programmeCommands({
  repositories,
}: ProgrammesParts['commands']): Commands<typeof programmeRoutes & typeof programmeDraftRoutes> {
  const repository = repositories.of(programmeStreams)

  const drafted = (id: ProgrammeId, version: number, state: Programme) => {
    const { hash, state: versionState } = existingVersion(state, version)
    return { id, version, state: versionState, hash }
  }

  return {
    termsInWords: async ({ body: { terms } }) => ({ body: termsInWords(terms) }),

    draftProgramme: async ({ body: { terms }, context }) => {
      const id = programmeId.parse(newId(context, 'programme'))
      const { state, position } = await repository.decide(id, context, (programme) =>
        draftProgramme(programme, hashedTerms(terms)),
      )
      return { status: 201, body: drafted(id, 1, state), position }
    },

    draftProgrammeVersion: async ({ params, body: { terms }, context }) => {
      const { id } = params
      const { state, position } = await repository.decide(id, context, (programme) =>
        draftVersion(programme, hashedTerms(terms)),
      )
      return { status: 201, body: drafted(id, state.length, state), position }
    },

    changeProgrammeDraft: async ({ params, body: { terms }, context }) => {
      const { id } = params
      const version = Number(params.version)
      const { state, position } = await repository.decide(id, context, (programme) =>
        changeDraft(programme, version, hashedTerms(terms)),
      )
      return { body: drafted(id, version, state), position }
    },

    tryProgrammeDraft: async ({ params, context }) => {
      const { position } = await repository.decide(params.id, context, (programme) =>
        requestTrial(programme, Number(params.version)),
      )
      return { ...done(position), status: 202 }
    },

    publishProgramme: async ({ params, body: { hash }, context }) => {
      const { position } = await repository.decide(params.id, context, (programme) =>
        publishVersion(programme, Number(params.version), hash),
      )
      return done(position)
    },

    retireProgramme: async ({ params, context }) => {
      const { position } = await repository.decide(params.id, context, (programme) =>
        retireVersion(programme, Number(params.version)),
      )
      return done(position)
    },
  }
}

/**
 * Publishes the presets in a portal that is not founded yet, each once: several processes that start together, and a
 * start after a crash, find the work done.
 *
 * @param start Identifies this start.
 */
export async function publishPresets(repositories: Repositories, start: string): Promise<void> {
  if ((await repositories.of(installationStreams).load(INSTALLATION_ID)).state.founded) return
  const repository = repositories.of(programmeStreams)
  const publish = ({ id, terms }: (typeof presets)[number]) =>
    repository.decide(programmeId.parse(id), systemContext('start', start), (programme) =>
      publishPreset(programme, hashedTerms(terms)),
    )
  await Promise.all(presets.map(publish))
}
