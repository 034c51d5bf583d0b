import { z } from 'zod'
import { described } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, patch, post } from '#services/framework/api/route.ts'
import { namedRequest } from '#services/framework/api/text.ts'
import { evaluationStage, fundedStage, programmeTerms, stagesOf } from '#services/rules/programme.ts'
import { DraftedVersion, programmePath, versionPath } from './programme-api.ts'
import { termsName } from './terms-api.ts'
import { TermsInWords } from './terms-in-words-api.ts'

/** Drafts of programmes. Pages that write no terms do without the schemas of all rules. */

/** Terms in a request. People read their names. */
export const TermsGiven = z.strictObject(
  {
    ...programmeTerms.shape,
    name: termsName,
    stages: stagesOf(fundedStage.extend({ name: termsName }), evaluationStage.extend({ name: termsName })),
  },
  'expected a programme',
)

/** POST /api/admin/programmes, POST …/versions, PATCH …/versions/:version */
export const ProgrammeDraft = namedRequest('ProgrammeDraft', {
  terms: described('A programme as `proofdesk rules schema` describes it, in US dollars', TermsGiven),
})

/** The calls that write terms. */
export const programmeDraftRoutes = {
  termsInWords: post('/api/admin/programmes/words', 'read', {
    summary: 'Terms in plain words, also of a draft that is being written: nothing is kept',
    reads: true,
    body: ProgrammeDraft,
    answer: answer('The words', TermsInWords),
  }),
  draftProgramme: post('/api/admin/programmes', 'publish-programmes', {
    summary: 'Draft a programme; faulty terms are not saved',
    body: ProgrammeDraft,
    answer: answer('Its first version', DraftedVersion),
    status: 201,
  }),
  draftProgrammeVersion: post('/api/admin/programmes/:id/versions', 'publish-programmes', {
    summary: 'Draft a further version',
    params: programmePath,
    body: ProgrammeDraft,
    answer: answer('The version', DraftedVersion),
    status: 201,
  }),
  changeProgrammeDraft: patch('/api/admin/programmes/:id/versions/:version', 'publish-programmes', {
    summary: 'Change a draft. A published version never changes',
    params: versionPath,
    body: ProgrammeDraft,
    answer: answer('The version', DraftedVersion),
    refuses: conflict,
  }),
}
