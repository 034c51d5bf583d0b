import { findingId } from '#services/framework/ids.ts'
import { z } from 'zod'
import { Money } from '#services/framework/api/money.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { page, parameter } from '#services/framework/api/pagination-schemas.ts'
import { answer, conflict, get, post, pathOf } from '#services/framework/api/route.ts'
import { Stamp } from '#services/framework/api/stamp-schemas.ts'
import {
  INVALID,
  LONGEST_NOTE,
  LONGEST_TEXT,
  namedRequest,
  request,
  requiredNote,
  text,
} from '#services/framework/api/text.ts'
import { ArithmeticLine } from '#services/trading/accounts/standing-api.ts'
import { handKinds } from '#services/trading/stream/observation-vocabulary.ts'
import { findingKinds, findingStates, listedFindings } from '#services/trading/stream/finding-vocabulary.ts'

/** Findings of the rules, and the decisions of staff on them. */

/** The first of two confirmations, while the second is missing and its `member` may still decide findings. */
const FirstConfirmation = namedObject('FirstConfirmation', { ...Stamp.shape, member: z.string() })
export type FirstConfirmation = z.infer<typeof FirstConfirmation>

const findingFields = {
  id: z.string(),
  account: z.string(),
  kind: z.enum(findingKinds),
  state: described("'reopened': what it rests on was corrected", z.enum(findingStates)),
  rule: z.object({
    index: described('Among the rules of the stage, from 0', z.int().nonnegative()),
    kind: z.string(),
    text: described('The rule in words; null where its programme is not known', z.string().nullable()),
  }),
  programme: z.object({ id: z.string(), version: z.int(), hash: z.string(), name: z.string().nullable() }),
  stage: z.int().nonnegative(),
  floor: described('The floor, or the target of a stage that is passed; null for a rule without', Money.nullable()),
  measured: Money.nullable(),
  trade: described(
    "For a rule about single trades: what the trade did, such as 'Trade 881 of EURUSD was held for 41 s; at least 60 s'. Null for another rule, and where the rules do not find it any more",
    z.string().nullable(),
  ),
  at: described('Time of what was found', z.iso.datetime()),
  observations: described(
    'The ids of the observations that prove it; for a rule about single trades those of all hit trades, the cause last',
    z.array(z.string()),
  ),
  follows: described('Whether the rules find it there now', z.boolean()),
  reason: described('Why it was dismissed', z.string().nullable()),
  firstConfirmation: described(
    'Confirmation by the first of two members, until the finding is decided',
    FirstConfirmation.nullable(),
  ),
  raised: Stamp,
  decided: Stamp.nullable(),
  userId: z.string(),
  userName: described("'erased' after a deletion", z.string()),
}

export const Finding = namedObject('Finding', findingFields)
export type Finding = z.infer<typeof Finding>

/** A finding at a moment. */
export const AuditFinding = namedObject('AuditFinding', {
  id: z.string(),
  kind: z.enum(findingKinds),
  rule: z.string(),
  measured: Money.nullable(),
  floor: Money.nullable(),
  state: z.enum(findingStates),
})

/** GET /api/admin/findings/:id */
export const FindingDetails = namedObject('FindingDetails', {
  ...findingFields,
  evidence: z.array(
    z.object({
      observation: z.string(),
      what: described(
        "Text of the observation as it is now, such as 'Trade T1 closed', or that a correction took it away",
        z.string(),
      ),
      at: described('When, or on which day; null where it was taken away', z.string().nullable()),
      figures: described("'profit -$3,500.00'; null where it has none", z.string().nullable()),
      event: described('The number of the event that recorded or last corrected it', z.int().positive()),
    }),
  ),
  arithmetic: described(
    'The amounts of the day up to what was measured, against the floor; of a pass each goal; for a rule about single trades what each hit trade did. Empty where the rules do not find it any more',
    z.array(ArithmeticLine),
  ),
  hands: described(
    'Who typed, imported or corrected what it rests on, also what was observed before it',
    z.array(
      z.object({
        how: z.enum(handKinds),
        member: described('The id of the member; null where it is not known', z.string().nullable()),
        name: z.string().nullable(),
        events: described('The numbers of the events', z.array(z.int().positive())),
      }),
    ),
  ),
  needsAnother: described(
    'Whether another member has to confirm it, because it rests on what you typed, imported or corrected',
    z.boolean(),
  ),
})
export type FindingDetails = z.infer<typeof FindingDetails>

const listed = z.enum(listedFindings, { error: INVALID })
const { limit, cursor } = page(listed, []).shape

/** GET /api/admin/findings */
export const FindingList = request({
  state: described("Only findings in this state; 'open': proposed and reopened ones", parameter(listed.optional())),
  kind: described(
    'Only breaches, or only passed stages',
    parameter(z.enum(findingKinds, { error: INVALID }).optional()),
  ),
  account: described('Only findings about this account', parameter(z.string().max(60, INVALID).optional())),
  limit,
  cursor,
})

const shown = text(LONGEST_TEXT)

/** So many observations of a finding are compared with the log: the last ones, where it rests on more. */
export const MOST_SEEN = 100

/** A finding as the page showed it. A verdict on anything else is refused. */
const SeenFinding = namedRequest('SeenFinding', {
  name: described('Full name of the trader', shown),
  kind: z.enum(findingKinds, { error: INVALID }),
  rule: described('Kind of the rule', shown),
  floor: shown.nullable(),
  measured: shown.nullable(),
  at: shown,
  evidence: described(
    'The observations, where the page showed them',
    z
      .array(request({ observation: shown, what: shown, at: shown.nullable(), figures: shown.nullable() }))
      .max(MOST_SEEN, INVALID)
      .optional(),
  ),
})
export type SeenFinding = z.infer<typeof SeenFinding>

const seen = described(
  'What the page showed: where the log says something else, nothing is decided',
  SeenFinding.optional(),
)

/** POST /api/admin/findings/:id/confirm */
export const Confirmation = namedRequest('FindingConfirmation', { seen })

/** POST /api/admin/findings/:id/dismiss */
export const Dismissal = namedRequest('FindingDismissal', {
  reason: requiredNote(LONGEST_NOTE, 'Please say why this finding is dismissed'),
  seen,
})

export const FindingDecided = namedObject('FindingDecided', {
  state: described("'proposed' or 'reopened' after the first of two confirmations", z.enum(findingStates)),
})
export type FindingDecided = z.infer<typeof FindingDecided>

const findingPath = pathOf("The finding's id", findingId, 'Finding not found')

/** The calls about findings. */
export const findingRoutes = {
  findings: get('/api/admin/findings', 'read', {
    summary: 'What the rules found, the newest first',
    query: FindingList,
    paged: true,
    position: 'waits',
    answer: answer('The findings', z.array(Finding)),
  }),
  finding: get('/api/admin/findings/:id', 'read', {
    summary: 'A finding with the observations that prove it',
    params: findingPath,
    position: 'waits',
    answer: answer('The finding', FindingDetails),
  }),
  confirmFinding: post('/api/admin/findings/:id/confirm', 'decide-findings', {
    summary: 'Confirm a finding: a breach sets the status, a pass opens the next stage',
    params: findingPath,
    body: Confirmation,
    answer: answer('Its state afterwards', FindingDecided),
    refuses: conflict,
  }),
  dismissFinding: post('/api/admin/findings/:id/dismiss', 'decide-findings', {
    summary: 'Dismiss a finding: the status before comes back, and the rules pass over it',
    params: findingPath,
    body: Dismissal,
    answer: answer('Its state afterwards', FindingDecided),
    refuses: conflict,
  }),
}
