import { HttpError } from '#services/framework/http/http-errors.ts'
import { exactTotal } from '#services/framework/http/list-total.ts'
import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import type { ProgrammesParts } from '#services/programmes/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import type { Queries } from '#services/framework/module.ts'
import { refusedFile } from '#services/process/forged-rows.ts'
import { offeredVersion, programmeStreams } from '../programme.ts'
import type {
  ListedProgramme,
  OfferedProgramme,
  ProgrammeVersionAnswer,
  programmeRoutes,
  WhatIf,
} from '../programme-api.ts'
import { type ProgrammeDocument, programmes } from '../programme-read-model.ts'
import { differencesInWords, termsInWords } from '#services/rules/terms-in-words.ts'
import { createWhatIfFiles, countsOf } from './what-if-files.ts'

const noCounts = countsOf([])

/** Programmes that are listed, retired ones included. */
const MOST_PROGRAMMES = 1_000

/** The programmes, and what their terms say. */
export function programmeQueries(parts: ProgrammesParts['queries']): Queries<typeof programmeRoutes> {
  const { readModels, fileStore, repositories } = parts
  const files = createWhatIfFiles(fileStore)
  const versionOf = async (params: { readonly id: string; readonly version: string }) => {
    const programme = await readModels.get(programmes, params.id)
    const version = programme?.versions[Number(params.version) - 1]
    if (!version) throw new HttpError(404, { message: programme ? 'Version not found' : 'Programme not found' })
    return { ...version, before: programme.versions[Number(params.version) - 2] }
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
        const body: OfferedProgramme = { id, version: offered.number, hash, terms, words: termsInWords(terms) }
        return { body }
      },
    },

    programmeVersion: {
      needs: [programmes],
      handle: async ({ params }) => {
        const { state, hash, terms, published, trying, tried, before } = await versionOf(params)
        const body: ProgrammeVersionAnswer = {
          id: params.id,
          version: Number(params.version),
          state,
          hash,
          terms,
          words: termsInWords(terms),
          changes: before ? differencesInWords(before.terms, terms) : null,
          publishedAt: published && isoTime(published.at),
          publishedBy: published && published.by,
          isTrying: trying === hash,
          whatIf: tried,
        }
        return { body }
      },
    },

    programmeWhatIf: {
      needs: [programmes],
      handle: async ({ params, query: { limit, cursor }, request, response }) => {
        const { tried, trying } = await versionOf(params)
        const hash = trying ?? tried?.hash
        if (hash === undefined) throw new HttpError(404, { message: 'No what-if of this version was computed yet' })
        const terms = { id: params.id, version: Number(params.version), hash }
        const start = Number(cursor ?? 0)
        // The log says what was computed: who writes to the file store must not make staff believe otherwise.
        const { state } = await repositories.of(programmeStreams).load(params.id)
        const recorded = trying === null ? state[terms.version - 1]?.tried : null
        const isRecorded = recorded?.hash === hash
        // Nobody had enrolled: nothing was to be compared.
        const nothing = { accounts: 0, differences: 0, page: [] }
        const result =
          isRecorded && ((await files.result(terms, recorded, start, limit)) ?? (recorded.accounts === 0 && nothing))
        if (isRecorded && !result)
          throw refusedFile(`what-if of ${terms.id} ${terms.version}`, 'the what-if found', parts.reportForgedRow)
        if (!result) {
          const { accounts, compared } = (await files.progress(terms)) ?? { accounts: 0, compared: 0 }
          const running: WhatIf = { state: 'running', hash, accounts, compared, counts: noCounts, differences: [] }
          return { body: running }
        }
        const { page: differences, ...all } = result
        const next = result.differences > start + limit ? String(start + limit) : undefined
        setPaginationHeaders(request, response, { next }, exactTotal(result.differences))
        const body: WhatIf = {
          ...{ state: 'done', hash, accounts: result.accounts, compared: result.accounts },
          ...{ counts: noCounts, ...all, differences },
        }
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
