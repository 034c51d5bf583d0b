import { z } from 'zod'
import { projection, updateExisting } from '#services/event-sourcing/read-models/projection.ts'
import { accountOf, caseId, ownerOf } from '#services/framework/ids.ts'
import { caseEvents } from '#services/trading/stream/case.ts'
import { caseStates } from '#services/trading/stream/case-vocabulary.ts'

const document = z.object({
  id: caseId,
  userId: z.string(),
  /** How the trader named the decision. */
  named: z.enum(['payout', 'event']),
  state: z.enum(caseStates),
  /** Ms since 1970; null unless it is open. */
  answerBy: z.int().nullable(),
  /** The deadline that was not missed yet; null for none. */
  due: z.int().nullable(),
  /** Whether a deadline passed without an answer: 'true' or 'false', which a filter reads. */
  overdue: z.enum(['true', 'false']),
  openedAt: z.int(),
  /** Its place in the queue of staff: the deadline; for a case without one after all others, the newest first. */
  queue: z.int(),
})
export type CaseDocument = z.infer<typeof document>

/** Far after every deadline. */
const AFTER_ALL = Number.MAX_SAFE_INTEGER

/** "The earliest deadline first, then those without, newest first." (cases.md) */
function queued(one: Omit<CaseDocument, 'queue'>): CaseDocument {
  return { ...one, queue: one.answerBy ?? AFTER_ALL - one.openedAt }
}

const answered = { answerBy: null, due: null, overdue: 'false' } as const

/** One document per case: what lists find it by. What was written stays in the log. */
export const cases = projection(caseEvents, {
  name: 'cases',
  version: 1,
  document,
  filters: ['userId', 'named', 'state', 'overdue', 'due'],
  sorts: ['queue'],
  documentId: ({ data }) => data.case,
  on: {
    CaseOpened: (_, { data: { case: id, about, answerBy }, at: openedAt }): CaseDocument => {
      const named = 'payout' in about ? 'payout' : 'event'
      const begun = { state: 'open', answerBy, due: answerBy, overdue: 'false', openedAt } as const
      return queued({ id, userId: ownerOf(accountOf(id)), named, ...begun })
    },
    CaseMessageWritten: updateExisting((one, { data: { from, answerBy } }) =>
      queued(
        from === 'staff'
          ? { ...one, state: 'answered', ...answered }
          : { ...one, state: 'open', answerBy, due: answerBy },
      ),
    ),
    CaseDecided: updateExisting((one) => queued({ ...one, state: 'decided', ...answered })),
    CaseWithdrawn: updateExisting((one) => queued({ ...one, state: 'withdrawn', ...answered })),
    CaseOverdue: updateExisting((one) => ({ ...one, overdue: 'true' as const, due: null })),
  },
})
