import { programmeId } from '#services/framework/ids.ts'
import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, get, post, pathOf } from '#services/framework/api/route.ts'
import { TermsInWords } from './terms-in-words-api.ts'
import { Money } from '#services/framework/api/money.ts'
import { pageCursor, pageLimit } from '#services/framework/api/pagination-schemas.ts'
import { INVALID, namedRequest, request } from '#services/framework/api/text.ts'
import { answeredTerms } from './late-terms-api.ts'

/** The programmes of the firm, for staff. */

/** POST …/publish */
export const Publication = namedRequest('Publication', {
  hash: described(
    'The hash of the terms that were seen, with their what-if',
    z.string({ error: INVALID }).regex(/^[0-9a-f]{64}$/, INVALID),
  ),
})

export const VersionState = z.enum(['draft', 'published', 'retired'])
export type VersionState = z.infer<typeof VersionState>

export const ListedProgramme = namedObject('ListedProgramme', {
  id: z.string(),
  /** The name of the newest version. */
  name: z.string(),
  versions: z.array(z.object({ version: z.int().positive(), state: VersionState, hash: z.string() })),
})
export type ListedProgramme = z.infer<typeof ListedProgramme>

export const ProgrammeVersionAnswer = namedObject('ProgrammeVersion', {
  id: z.string(),
  version: z.int().positive(),
  state: VersionState,
  /** Lower-case hex SHA-256 of the terms' canonical JSON (RFC 8785). */
  hash: z.string(),
  terms: answeredTerms.schema,
  words: TermsInWords,
  changes: described(
    'Differences from the version before, in words: null where a version has no such term. Null for the first version',
    z.array(z.object({ term: z.string(), before: z.string().nullable(), after: z.string().nullable() })).nullable(),
  ),
  /** Null for a draft. */
  publishedAt: z.iso.datetime().nullable(),
  /** The id of the member of staff, or 'system'; null for a draft. */
  publishedBy: z.string().nullable(),
  /** Whether the what-if of its terms is being computed. */
  isTrying: z.boolean(),
  /** The last what-if: how many accounts were compared, and how many would stand differently. Null before. */
  whatIf: z
    .object({ hash: z.string(), accounts: z.int().nonnegative(), differences: z.int().nonnegative() })
    .nullable(),
})
export type ProgrammeVersionAnswer = z.infer<typeof ProgrammeVersionAnswer>

export const DraftedVersion = namedObject('DraftedVersion', {
  id: z.string(),
  version: z.int().positive(),
  state: VersionState,
  hash: z.string(),
})

/** The outcome of an account by some rules. */
const outcome = namedObject('WhatIfOutcome', {
  status: described(
    "'no-stage': the draft has fewer stages",
    z.enum(['in-progress', 'paused', 'passed', 'breached', 'no-stage']),
  ),
  at: described('Time of the pass or breach', z.iso.datetime().nullable()),
  cause: z
    .object({
      ...{ rule: z.string(), floor: Money.nullable(), measured: Money.nullable() },
      trade: described('For a rule about single trades: the id of the trade', z.string().optional()),
    })
    .nullable(),
  payout: described(
    'In a funded stage: what may be paid out now, and the first day on which something may be, null once it may',
    z.object({ available: Money, from: z.iso.date().nullable() }).nullable(),
  ),
})
export type WhatIfOutcome = z.infer<typeof outcome>

/** An account that would stand differently under the terms of a draft. */
export const WhatIfDifference = namedObject('WhatIfDifference', { account: z.string(), from: outcome, to: outcome })
export type WhatIfDifference = z.infer<typeof WhatIfDifference>

/** How many accounts would be breached that are not, and so on. */
export const whatIfCounts = z.object({
  breached: z.int().nonnegative(),
  notBreached: z.int().nonnegative(),
  passed: z.int().nonnegative(),
  notPassed: z.int().nonnegative(),
  payouts: described('With another payout, beside the others', z.int().nonnegative()),
})
export type WhatIfCounts = z.infer<typeof whatIfCounts>

export const WhatIf = namedObject('WhatIf', {
  state: z.enum(['running', 'done']),
  /** The hash of the terms that it is about. */
  hash: z.string(),
  accounts: described('Number of accounts of the programme that can be compared', z.int().nonnegative()),
  compared: described('Number of accounts compared so far', z.int().nonnegative()),
  counts: whatIfCounts,
  differences: described('A page of them, once it is done', z.array(WhatIfDifference)),
})
export type WhatIf = z.infer<typeof WhatIf>

/** GET …/what-if */
export const WhatIfPage = request({ limit: pageLimit(), cursor: pageCursor() })

export const OfferedProgramme = namedObject('OfferedProgramme', {
  id: z.string(),
  version: z.int().positive(),
  hash: described('Hash that an order names as accepted', z.string()),
  terms: answeredTerms.schema,
  words: TermsInWords,
})
export type OfferedProgramme = z.infer<typeof OfferedProgramme>

export const programmePath = pathOf("The programme's id", programmeId, 'Programme not found')
export const versionPath = programmePath.extend({
  version: described('The number of the version, from 1', z.string()),
})

/** The calls about programmes, apart from those that write their terms. */
export const programmeRoutes = {
  programmes: get('/api/admin/programmes', 'read', {
    summary: 'The programmes with their versions, the newest programme first',
    position: 'waits',
    answer: answer('The programmes', z.array(ListedProgramme)),
  }),
  offeredProgramme: get('/api/programmes/:id', 'public', {
    summary: 'The terms that a programme enrols in now: its newest published version',
    params: programmePath,
    position: 'waits',
    answer: answer('The version', OfferedProgramme),
  }),
  programmeVersion: get('/api/admin/programmes/:id/versions/:version', 'read', {
    summary: 'A version with its terms and their hash',
    params: versionPath,
    position: 'waits',
    answer: answer('The version', ProgrammeVersionAnswer),
  }),
  tryProgrammeDraft: post('/api/admin/programmes/:id/versions/:version/what-if', 'publish-programmes', {
    summary: 'Compute how the accounts of the programme would stand under the terms of a draft',
    params: versionPath,
    status: 202,
    refuses: conflict,
  }),
  programmeWhatIf: get('/api/admin/programmes/:id/versions/:version/what-if', 'read', {
    summary: 'The last what-if of a version',
    params: versionPath,
    query: WhatIfPage,
    paged: true,
    position: 'waits',
    answer: answer('The what-if', WhatIf),
  }),
  publishProgramme: post('/api/admin/programmes/:id/versions/:version/publish', 'publish-programmes', {
    summary: 'Publish a draft whose what-if has finished',
    params: versionPath,
    body: Publication,
    refuses: conflict,
  }),
  retireProgramme: post('/api/admin/programmes/:id/versions/:version/retire', 'publish-programmes', {
    summary: 'Take a published version out of the offer: no new enrolments',
    params: versionPath,
    refuses: conflict,
  }),
}
