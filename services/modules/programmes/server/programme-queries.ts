import { HttpError } from '#services/http/http-errors.ts'
import type { QueryDependencies } from '#services/modules/dependencies.ts'
import { isoTime } from '#services/modules/event-description.ts'
import type { Queries } from '#services/modules/module.ts'
import { offeredVersion } from '../programme.ts'
import type {
  ListedProgramme,
  OfferedProgramme,
  ProgrammeVersionAnswer,
  programmeRoutes,
  WhatIf,
} from '../programme-api.ts'
import { type ProgrammeDocument, programmes } from '../programme-read-model.ts'

/** Programmes that are listed, retired ones included. */
const MOST_PROGRAMMES = 1_000

/** The programmes, and what their terms say. */
export function programmeQueries({ readModels }: QueryDependencies): Queries<typeof programmeRoutes> {
  const versionOf = async (params: { readonly id: string; readonly version: string }) => {
    const programme = await readModels.get(programmes, params.id)
    const version = programme?.versions[Number(params.version) - 1]
    if (!version) throw new HttpError(404, { message: programme ? 'Version not found' : 'Programme not found' })
    return version
  }

  return {
    programmes: {
      needs: [programmes],
      handle: async () => {
        const { documents } = await readModels.find(programmes, { limit: MOST_PROGRAMMES })
        return { body: documents.map(listedProgramme) }
      },
    },

    offeredProgramme: {
      needs: [programmes],
      handle: async ({ params: { id } }) => {
        const offered = offeredVersion((await readModels.get(programmes, id))?.versions ?? [])
        if (!offered) throw new HttpError(404, { message: 'Programme not found' })
        const { hash, terms } = offered.version
        const body: OfferedProgramme = { id, version: offered.number, hash, terms }
        return { body }
      },
    },

    programmeVersion: {
      needs: [programmes],
      handle: async ({ params }) => {
        const { state, hash, terms, published, tried } = await versionOf(params)
        const body: ProgrammeVersionAnswer = {
          id: params.id,
          version: Number(params.version),
          state,
          hash,
          terms,
          publishedAt: published && isoTime(published.at),
          publishedBy: published && published.by,
          whatIf: tried,
        }
        return { body }
      },
    },

    programmeWhatIf: {
      needs: [programmes],
      handle: async ({ params }) => {
        const { tried } = await versionOf(params)
        if (!tried) throw new HttpError(404, { message: 'No what-if of this version was computed yet' })
        const body: WhatIf = { state: 'done', hash: tried.hash, accounts: tried.accounts, differences: [] }
        return { body }
      },
    },
  }
}

function listedProgramme({ id, versions }: ProgrammeDocument): ListedProgramme {
  return {
    id,
    name: versions.at(-1)?.terms.name ?? id,
    versions: versions.map(({ state, hash }, n) => ({ version: n + 1, state, hash })),
  }
}
