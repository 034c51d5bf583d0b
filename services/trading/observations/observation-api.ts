import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { dayOrMoment, pageCursor, pageLimit, parameter } from '#services/framework/api/pagination-schemas.ts'
import { answer, conflict, get, post, accountPath } from '#services/framework/api/route.ts'
import { INVALID, LONGEST_NOTE, namedRequest, request, requiredNote } from '#services/framework/api/text.ts'
import { Stamp } from '#services/framework/api/stamp-schemas.ts'
import {
  MOST_AHEAD,
  observationSources,
  observedKinds,
  rowOutcomes,
} from '#services/trading/stream/observation-vocabulary.ts'
import { codePointName, unseenCharacter } from '#services/framework/api/unseen-characters.ts'
import { observation, type Observation, openedTooLate } from '#services/rules/observation.ts'
import { toDecimal } from '#services/rules/money.ts'

/** Observations of accounts under a programme. */

/** An observation as programs and staff send it. Payouts and the passing of time are the portal's own. */
export const sentObservation = observation.superRefine((sent, context) => {
  if (sent.kind === 'payout' || sent.kind === 'clock')
    context.addIssue({
      code: 'custom',
      path: ['kind'],
      message: 'expected "state", "trade", "day" or "transfer": the portal knows payouts and the time itself',
    })
  const contradiction = contradictionIn(sent)
  if (contradiction) context.addIssue({ code: 'custom', path: [contradiction.field], message: contradiction.message })
  for (const field of ['id', 'why'] as const) {
    const text = field in sent ? Object.entries(sent).find(([name]) => name === field)?.[1] : undefined
    const unseen = typeof text === 'string' ? unseenCharacter(text) : undefined
    if (unseen !== undefined)
      context.addIssue({
        code: 'custom',
        path: [field],
        message: `expected no invisible character (${codePointName(unseen)})`,
      })
  }
})

/**
 * What cannot be true of an observation, as it is with two columns exchanged: a breach would be missed, or a false one found.
 * What was recorded before stays as it is.
 */
function contradictionIn(sent: Observation): { readonly field: string; readonly message: string } | undefined {
  if (sent.kind === 'trade') {
    const message = openedTooLate(sent)
    return message === null ? undefined : { field: 'openedAt', message }
  }
  if (sent.kind !== 'day') return undefined
  const { equity, lowestEquity: lowest, highestEquity: highest } = sent
  if (lowest > highest)
    return {
      field: 'lowestEquity',
      message: `the lowest equity ${toDecimal(lowest)} is above the highest, ${toDecimal(highest)}`,
    }
  if (equity < lowest)
    return { field: 'equity', message: `the equity ${toDecimal(equity)} is below the lowest, ${toDecimal(lowest)}` }
  return equity > highest
    ? { field: 'equity', message: `the equity ${toDecimal(equity)} is above the highest, ${toDecimal(highest)}` }
    : undefined
}

/** Describes the fault of an observation's instant; null for one that is possible. */
export function futureFault({ at }: { readonly at: { readonly ms: number } }, now: number): string | null {
  return at.ms > now + MOST_AHEAD ? 'at: expected an instant that is at most 5 minutes in the future' : null
}

const written = z.looseObject({
  kind: z.enum(observedKinds),
  at: z.string(),
})

const importBehind = described('The import of its file; null where it came otherwise', z.string().nullable())

const ObservationSource = namedObject('ObservationSource', {
  ...Stamp.shape,
  kind: described('Typed by staff, from the file of an import, or sent by a program', z.enum(observationSources)),
  import: importBehind,
})

const LastCorrection = namedObject('LastCorrection', {
  ...Stamp.shape,
  reason: z.string(),
  kind: described(
    'The source that told a trade again, with facts that were not known; null where staff corrected it',
    z.enum(observationSources).nullable(),
  ),
  import: importBehind,
})

export const AccountObservation = namedObject('AccountObservation', {
  id: z.string(),
  event: described('The number of the event that recorded or last corrected it', z.int().positive()),
  observation: described('With the fields of its kind; amounts are decimal strings', written),
  source: described('How it came: the event that recorded it first, and by whom', ObservationSource),
  corrected: described('What replaced it last; null where nothing did', LastCorrection.nullable()),
})
export type AccountObservation = z.infer<typeof AccountObservation>

/** GET /api/admin/accounts/:id/observations */
const ObservationList = request({
  kind: described('Only this kind', parameter(z.enum(observedKinds, { error: INVALID }).optional())),
  from: described('Only what was on this day, in UTC, or later; or from this moment on', dayOrMoment('first')),
  to: described('Only what was on this day, in UTC, or before; or up to this moment', dayOrMoment('last')),
  limit: pageLimit(),
  cursor: pageCursor(),
})

/** POST /api/admin/accounts/:id/observations/:observation/correction */
export const ObservationCorrection = namedRequest('ObservationCorrection', {
  observation: described(
    'Observation that the engine gets in its place; null takes the observation away',
    sentObservation.nullable(),
  ),
  reason: requiredNote(LONGEST_NOTE, 'Please say why this observation is corrected'),
})

/** Most rows in a call of the feed, and the most bytes of its body. */
export const MOST_FEED_ROWS = 1_000
export const LARGEST_FEED_BODY = 1024 * 1024

const rowsExpected = 'expected a list of rows'

/** POST /api/feed/observations. Each row is read on its own: one that is wrong is refused, and the others count. */
export const FeedRows = namedRequest('FeedRows', {
  rows: described(
    'Observations as in `proofdesk rules evaluate`, of the kinds state, trade, day and transfer; each with `account`, or with `server` and `login`',
    z.array(z.unknown(), rowsExpected).max(MOST_FEED_ROWS, `expected at most ${MOST_FEED_ROWS} rows`),
  ),
})

export const FeedRow = namedObject('FeedRow', {
  index: described('Its place among the rows, from 0', z.int().nonnegative()),
  outcome: described(
    "'duplicate': it is known already; 'conflict': the trade, day or instant is known with other content; only 'recorded' changes something",
    z.enum(rowOutcomes),
  ),
  reason: z.string().nullable(),
})
export type FeedRow = z.infer<typeof FeedRow>

export const observationRoutes = {
  observations: get('/api/admin/accounts/:id/observations', 'read', {
    summary: 'What was observed of an account, the last observed first; what was taken away is left out',
    params: accountPath,
    query: ObservationList,
    position: 'waits',
    paged: true,
    answer: answer('The observations', z.array(AccountObservation)),
  }),
  correctObservation: post('/api/admin/accounts/:id/observations/:observation/correction', 'import-statements', {
    summary: 'Replace an observation, or take it away; the engine evaluates everything again',
    params: accountPath.extend({ observation: described("The observation's id", z.string()) }),
    body: ObservationCorrection,
    refuses: conflict,
  }),
  recordFeed: post('/api/feed/observations', 'program:feed', {
    summary: 'Record observations of accounts under a programme; the same rows again change nothing',
    body: FeedRows,
    largestBody: LARGEST_FEED_BODY,
    answer: answer('The outcome of each row', z.array(FeedRow)),
  }),
}
