import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { updateExisting, projection, type RecordedEventOf } from '#services/event-sourcing/read-models/projection.ts'
import { stamp, stampOf, stampOrNone } from '#services/framework/decision-stamp.ts'
import { accountId, accountOf, findingId, programmeId } from '#services/framework/ids.ts'
import { centsAmount } from '#services/rules/money.ts'
import { findingKinds, findingStates } from '#services/trading/stream/finding-vocabulary.ts'
import { type FindingEvent, findingEvents } from '#services/trading/stream/finding-events.ts'

const document = z.object({
  id: findingId,
  account: accountId,
  kind: z.enum(findingKinds),
  state: z.enum(findingStates),
  rule: z.object({ index: z.int(), kind: z.string() }),
  programme: z.object({ id: programmeId, version: z.int(), hash: z.string(), stage: z.int() }),
  floor: centsAmount.nullable(),
  measured: centsAmount.nullable(),
  /** When it happened, ms since 1970. */
  at: z.int(),
  /** The numbers of the observations that prove it. */
  evidence: z.array(z.int()),
  follows: z.boolean(),
  reason: z.string().nullable(),
  /** Documents of version 1 do not name the member. */
  firstConfirmation: stamp.extend({ member: z.string().nullable().default(null) }).nullable(),
  raised: stamp,
  /** The version of the decisions under which it was raised: 1 where the event does not name it. */
  decisions: z.int().default(1),
  decided: stampOrNone,
})

export type FindingDocument = z.infer<typeof document>

/** One document per finding. */
export const findings = projection(findingEvents, {
  name: 'findings',
  version: 3,
  document,
  filters: ['state', 'kind', 'account'],
  documentId: ({ data }) => data.finding,
  on: {
    RuleFindingRaised: (_, event): FindingDocument => {
      const { finding: id, kind, rule, programme, floor, measured, hit, evidence } = event.data
      return {
        ...{
          id,
          account: accountOf(id),
          kind,
          state: 'proposed',
          rule,
          programme,
          floor,
          measured,
          at: hit.at,
          evidence,
        },
        ...{ follows: true, reason: null, firstConfirmation: null, raised: stampOf(event), decided: null },
        decisions: event.decisions ?? 1,
      }
    },
    BreachFirstConfirmed: updateExisting((finding, event) => ({
      ...finding,
      firstConfirmation: { ...stampOf(event), member: event.data.member },
    })),
    BreachConfirmed: updateExisting((finding, event) => decided(finding, event, 'confirmed', null)),
    PassConfirmed: updateExisting((finding, event) => decided(finding, event, 'confirmed', null)),
    FindingDismissed: updateExisting((finding, event) => decided(finding, event, 'dismissed', event.data.reason)),
    FindingReopened: updateExisting((finding, { data: { found } }) => {
      const { hit, ...figures } = found ?? {}
      return {
        ...{ ...finding, ...figures, ...(hit && { at: hit.at }) },
        ...{ state: 'reopened', follows: found !== null, firstConfirmation: null },
      }
    }),
  },
})

type Decision = RecordedEventOf<FindingEvent, 'BreachConfirmed' | 'PassConfirmed' | 'FindingDismissed'>

function decided(
  finding: FindingDocument,
  event: Decision,
  state: FindingDocument['state'],
  reason: string | null,
): FindingDocument {
  return { ...finding, state, reason, firstConfirmation: null, decided: stampOf(event) }
}

/** One document per account about which time alone may decide something: the next moment at which it does. */
export const timeDecisions = projection(findingEvents, {
  name: 'time-decisions',
  version: 1,
  document: z.object({
    account: accountId,
    /** Ms since 1970; null for never. */
    at: z.int().nullable(),
  }),
  filters: ['at'],
  documentId: ({ stream }) => parseStreamName(stream).id,
  on: {
    TimeDecisionMoved: (_, { stream, data: { to } }) => ({
      account: accountId.parse(parseStreamName(stream).id),
      at: to,
    }),
  },
})
