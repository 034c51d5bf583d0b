import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { parameter } from '#services/framework/api/pagination-schemas.ts'
import { answer, conflict, file, get, notFound, pathOf, post, throttled } from '#services/framework/api/route.ts'
import { INVALID, missingOrInvalid, namedRequest, note, request, requiredNote } from '#services/framework/api/text.ts'
import { accountId, caseId, payoutId } from '#services/framework/ids.ts'
import {
  caseChanges,
  caseFileTypes,
  caseOutcomes,
  caseStates,
  caseSubjects,
  caseWriters,
  LARGEST_CASE_FILE,
  LONGEST_CASE_TEXT,
  SHORTEST_CASE_TEXT,
} from '#services/trading/stream/case-vocabulary.ts'

/** Cases: a trader objects to a decision of the account, and staff answer in time (cases.md, "Cases"). */

const About = z.union([z.strictObject({ payout: payoutId }), z.strictObject({ event: z.int().positive() })], {
  error: 'Please name the payout, or the number of the entry',
})

const objection = note(LONGEST_CASE_TEXT).refine((text) => text.trim().length >= SHORTEST_CASE_TEXT, {
  error: `Please write at least ${SHORTEST_CASE_TEXT} characters`,
})

/** POST /api/user/cases */
export const NewCase = namedRequest('NewCase', {
  account: accountId,
  about: described('The decision: `{payout}`, or `{event}` with the number of its entry', About),
  text: objection,
})

const message = requiredNote(LONGEST_CASE_TEXT, 'Please write a message')

/** POST …/messages */
export const NewCaseMessage = namedRequest('NewCaseMessage', { text: message })

const Change = z.union(
  [
    z.strictObject({ payout: z.literal(caseChanges.payout) }),
    z.strictObject({ finding: z.enum([caseChanges.finding, caseChanges.pass]) }),
    z.strictObject({ breach: z.literal(caseChanges.breach) }),
    z.strictObject({ hold: z.literal(caseChanges.hold) }),
  ],
  { error: 'This is no change of a decision' },
)

/** POST /api/admin/cases/:id/decision */
export const CaseVerdict = namedRequest('CaseVerdict', {
  outcome: z.enum(caseOutcomes, { error: missingOrInvalid }),
  text: requiredNote(LONGEST_CASE_TEXT, 'Please say why'),
  change: described(
    "What is changed: a rejected payout `{payout: 'approved'}`, a breach by the rules `{finding: 'dismissed'}`, one set by hand `{breach: 'corrected'}`, a dismissed pass `{finding: 'confirmed'}`, a hold `{hold: 'released'}`",
    Change.optional(),
  ),
})

const CaseSubjectAnswer = namedObject('CaseSubject', {
  kind: z.enum(caseSubjects),
  event: described('The number of its entry', z.int().positive()),
  at: z.iso.datetime(),
  payout: z.string().nullable(),
  finding: z.string().nullable(),
  notes: described('The notes of a rejection, or the reason of a hold', z.string().nullable()),
})

const CaseFile = namedObject('CaseFile', {
  id: z.string(),
  name: described("'erased' after a deletion", z.string()),
  type: z.enum(caseFileTypes),
  size: described('In bytes', z.int()),
})
export type CaseFile = z.infer<typeof CaseFile>

export const Case = namedObject('Case', {
  id: z.string(),
  account: z.string(),
  about: z.union([z.object({ payout: z.string() }), z.object({ event: z.int() })]),
  subject: CaseSubjectAnswer.nullable(),
  state: z.enum(caseStates),
  answerBy: described('Until when staff have to answer; null unless it is open', z.iso.datetime().nullable()),
  overdue: z.boolean(),
  text: described("'erased' after a deletion", z.string()),
  createdAt: z.iso.datetime(),
  messages: z.array(z.object({ from: z.enum(caseWriters), text: z.string(), at: z.iso.datetime() })),
  files: z.array(CaseFile),
  decision: z
    .object({
      outcome: z.enum(caseOutcomes),
      text: z.string(),
      change: z.record(z.string(), z.string()).nullable(),
      events: described('The numbers of the entries that made the change', z.array(z.int())),
      at: z.iso.datetime(),
    })
    .nullable(),
})
export type Case = z.infer<typeof Case>

/** A case at a moment. */
export const AuditCase = namedObject('AuditCase', {
  id: z.string(),
  subject: z.string(),
  state: z.enum(caseStates),
  outcome: z.enum(caseOutcomes).nullable(),
  text: z.string(),
})

const CaseFilter = request({
  state: described('Only cases in this state', parameter(z.enum(caseStates, { error: INVALID }).optional())),
  overdue: described('Only those whose answer is overdue', parameter(z.enum(['true'], { error: INVALID }).optional())),
  about: described(
    'Only those about a payout, or about another entry',
    parameter(z.enum(['payout', 'event'], { error: INVALID }).optional()),
  ),
})

/** The field of the file. */
export const CASE_FILE_FIELD = 'caseFile'
/** POST …/files has no field beside the file. */
const CaseUpload = request({})

const filePart = described("The file's id", z.string().regex(/^[1-9]\d?$/, 'File not found'))

const casePath = pathOf("The case's id", caseId, 'Case not found')

/** GET /api/user/objectable */
export const ObjectableDecision = namedObject('ObjectableDecision', {
  account: z.string(),
  kind: z.enum(caseSubjects),
  event: described('The number of its entry, which `about` of a case names', z.int().positive()),
  payout: z.string().nullable(),
  at: z.iso.datetime(),
  until: described('Until when a case can be opened', z.iso.datetime()),
  case: described('The id of its case; null where there is none', z.string().nullable()),
})
export type ObjectableDecision = z.infer<typeof ObjectableDecision>

export const caseRoutes = {
  objectable: get('/api/user/objectable', 'trader', {
    summary: "The decisions on the trader's accounts that can be objected to now, newest first",
    answer: answer('The decisions', z.array(ObjectableDecision)),
  }),
  ownCases: get('/api/user/cases', 'trader', {
    summary: "The trader's own cases, newest first",
    position: 'waits',
    answer: answer('The cases', z.array(Case)),
  }),
  ownCase: get('/api/user/cases/:id', 'trader', {
    summary: 'A case of the trader',
    params: casePath,
    position: 'waits',
    answer: answer('The case', Case),
  }),
  openCase: post('/api/user/cases', 'trader', {
    summary: 'Object to a decision about an account',
    body: NewCase,
    status: 201,
    answer: answer('The case', Case),
    refuses: { ...notFound, ...conflict, ...throttled },
  }),
  writeInOwnCase: post('/api/user/cases/:id/messages', 'trader', {
    summary: 'Write in a case',
    params: casePath,
    body: NewCaseMessage,
    status: 201,
    answer: answer('The case', Case),
    refuses: { ...conflict, ...throttled },
  }),
  addCaseFile: post('/api/user/cases/:id/files', 'trader', {
    summary: 'Add a file to a case: a PDF, PNG, JPEG, HTML or CSV file',
    params: casePath,
    body: CaseUpload,
    upload: { field: CASE_FILE_FIELD, type: 'application/octet-stream', largest: LARGEST_CASE_FILE },
    status: 201,
    answer: answer('The file', CaseFile),
    refuses: { ...conflict, ...throttled },
  }),
  ownCaseFile: get('/api/user/cases/:id/files/:file', 'trader', {
    summary: 'A file of a case of the trader, as an attachment',
    params: casePath.extend({ file: filePart }),
    answer: file(...caseFileTypes),
  }),
  caseFile: get('/api/admin/cases/:id/files/:file', 'read-case-files', {
    summary: 'A file of a case, as an attachment',
    params: casePath.extend({ file: filePart }),
    answer: file(...caseFileTypes),
  }),
  withdrawCase: post('/api/user/cases/:id/withdraw', 'trader', {
    summary: 'Withdraw a case',
    params: casePath,
    answer: answer('The case', Case),
    refuses: { ...conflict, ...throttled },
  }),
  cases: get('/api/admin/cases', 'read', {
    summary: 'The cases of all traders: the earliest deadline first, then those without one, newest first',
    query: CaseFilter,
    position: 'waits',
    answer: answer('The cases', z.array(Case)),
  }),
  case: get('/api/admin/cases/:id', 'read', {
    summary: 'A case',
    params: casePath,
    position: 'waits',
    answer: answer('The case', Case),
  }),
  writeInCase: post('/api/admin/cases/:id/messages', 'decide-cases', {
    summary: 'Answer in a case',
    params: casePath,
    body: NewCaseMessage,
    status: 201,
    answer: answer('The case', Case),
    refuses: conflict,
  }),
  decideCase: post('/api/admin/cases/:id/decision', 'decide-cases', {
    summary: 'Decide a case: what was decided is upheld, or changed by the rules of the call that does it',
    params: casePath,
    body: CaseVerdict,
    answer: answer('The case', Case),
    refuses: conflict,
  }),
}
