import type { z } from 'zod'
import {
  type ListedProgramme,
  type ProgrammeVersionAnswer,
  programmeRoutes,
} from '#services/programmes/programmes/programme-api.ts'
import type { ProgrammeDraft } from '#services/programmes/programmes/programme-draft-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** The programmes of the firm. */

const subjects = ['programmes'] as const

export const programmesQuery = routeQuery(programmeRoutes.programmes, { subjects })

export const programmeVersionQuery = (id: string, version: number) =>
  routeQuery(programmeRoutes.programmeVersion, { params: { id, version: String(version) }, subjects })

/** How often a running what-if is looked at, in ms. */
const PROGRESS_INTERVAL = 1_000
/** Accounts that are listed. */
const MOST_LISTED = '200'

export const whatIfQuery = (id: string, version: number) =>
  routeQuery(
    programmeRoutes.programmeWhatIf,
    { params: { id, version: String(version) }, query: { limit: MOST_LISTED }, subjects },
    { refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? PROGRESS_INTERVAL : false) },
  )

export type Terms = z.input<typeof ProgrammeDraft>['terms']

/** A version, as a path and a toast name it. */
export type VersionName = Pick<ProgrammeVersionAnswer, 'id' | 'version'> & Pick<ListedProgramme, 'name'>

const pathOf = ({ id, version }: VersionName) => ({ id, version: String(version) })

export const publishVersion = staffChange({
  send: ({ hash, ...version }: VersionName & { readonly hash: string }) =>
    send(programmeRoutes.publishProgramme, { params: pathOf(version), body: { hash } }),
  done: ({ name, version }) => ['Programme published', `${name}, version ${version}, is for new enrolments.`],
  failed: () => 'The programme was not published',
})

export const retireVersion = staffChange({
  send: (version: VersionName) => send(programmeRoutes.retireProgramme, { params: pathOf(version) }),
  done: ({ name, version }) => ['Version retired', `Nobody enrols in ${name}, version ${version}, any more.`],
  failed: () => 'The version was not retired',
})
