import { z } from 'zod'
import { defineEvents } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import {
  type AccountId,
  type AdminKeyId,
  adminKeyId,
  type FindingId,
  findingId,
  observationId,
  observationIdOf,
  payoutId,
} from '#services/framework/ids.ts'
import { type Cents, cents, inDollars } from '#services/rules/money.ts'
import { eventReference } from './decision-reason.ts'
import { payoutStatuses } from './payout-vocabulary.ts'
import {
  excusedCodes,
  provenCodes,
  type RejectedMoney,
  rejectedMoney,
  type RejectionCode,
  rejectionCodeLabels,
  rejectionCodes,
} from './rejection-vocabulary.ts'
import type { Stage } from './stage.ts'

/** The reasons of a rejection, its evidence, and what becomes of the money (cases.md, "Reasons"). */

/** A finding or an observation of the account, and the entry that raised it, or last recorded it. */
const evidenceItem = z.union([
  z.object({ finding: findingId, event: eventReference }),
  z.object({ observation: observationId, event: eventReference }),
])
export type EvidenceItem = z.infer<typeof evidenceItem>

const code = z.enum(rejectionCodes)

/** What a rejection records beside its notes. 0.2.0 recorded none of it. */
export const rejectionFields = {
  code: code.optional(),
  money: z.enum(rejectedMoney).optional(),
  evidence: z.array(evidenceItem).optional(),
}

/** The amount leaves the account, or comes back to it. */
const moved = { payoutId, from: cents, to: cents }

export const forfeitEvents = defineEvents({
  /** By the first of two members who have to give it; the payout stays as it is. */
  PayoutFirstForfeited: {
    ...{ payoutId, from: z.enum(payoutStatuses), amount: cents, notes: z.string(), member: adminKeyId },
    ...{ code, evidence: z.array(evidenceItem).optional() },
  },
  /** In the append of the rejection that says so. */
  PayoutForfeited: moved,
  /** It came back, because the rejection was taken back. */
  PayoutForfeitReversed: moved,
})

/** Why a payout is rejected, as its command says it. */
export interface RejectionReasons {
  readonly code?: RejectionCode | undefined
  readonly money?: RejectedMoney | undefined
  readonly evidence?: readonly EvidenceItem[] | undefined
}

/** Why a payout was rejected. */
export const rejection = z.object({ code, money: z.enum(rejectedMoney), evidence: z.array(evidenceItem) })
export type Rejection = z.infer<typeof rejection>

/** The reasons that a rejection recorded; what it did not say is what it means. */
export function rejectionOf({ code: given = 'other', money = 'stays', evidence = [] }: RejectionReasons): Rejection {
  return { code: given, money, evidence: [...evidence] }
}

/** The first of two members who have the amount leave the account. */
export interface FirstForfeit {
  readonly member: AdminKeyId
  readonly at: number
}

/** The parts of an account's state that the reasons of a rejection are checked against. */
export interface Proving {
  readonly account: { readonly id: AccountId | null; readonly programme: object | null; readonly balance: Cents }
  readonly stage: Pick<Stage, 'known'> | null
  readonly findings: { readonly list: readonly { readonly id: FindingId }[] }
}

/**
 * Checks the reasons of a rejection.
 *
 * @param covering What the balance is once the approval is taken back.
 * @throws {Refused} invalid, by the path of the fault; conflict where the balance does not cover a forfeit.
 */
export function checkRejection(
  state: Proving,
  { code: given, money, evidence = [] }: RejectionReasons,
  amount: Cents,
  covering: number,
): void {
  const seen = new Set<string>()
  for (const [index, item] of evidence.entries()) {
    const [kind, id] =
      'finding' in item ? (['finding', item.finding] as const) : (['observation', item.observation] as const)
    const path = `evidence[${index}].${kind}`
    if (seen.has(id)) throw new Refused('invalid', 'This is named twice', path)
    seen.add(id)
    const isKnown = kind === 'finding' ? hasFinding(state, item) : hasObservation(state, item)
    if (!isKnown) throw unknownEvidence(kind, id, index)
  }
  if (given !== undefined && provenCodes.has(given) && state.account.programme && evidence.length === 0)
    throw new Refused(
      'invalid',
      `“${rejectionCodeLabels[given]}” needs a finding or an observation that shows it`,
      'evidence',
    )
  if (money !== 'forfeited') return
  if (given === undefined || excusedCodes.has(given))
    throw new Refused('invalid', 'The money leaves the account only for a reason of its trader', 'money')
  if (amount > covering)
    throw new Refused('conflict', `The balance of ${inDollars(covering)} does not cover this amount`)
}

function hasFinding({ findings }: Proving, item: EvidenceItem): boolean {
  return 'finding' in item && findings.list.some(({ id }) => id === item.finding)
}

function hasObservation({ account: { id }, stage }: Proving, item: EvidenceItem): boolean {
  if (!id || !stage || !('observation' in item)) return false
  const number = numberOf(item.observation)
  const known = observationIdOf(id, number) === item.observation ? stage.known.list.get(number - 1) : undefined
  // What a correction took away shows nothing.
  return known !== undefined && known.now !== null
}

/** Evidence that is none of the account, by its place. */
export function unknownEvidence(kind: 'finding' | 'observation', id: string, index: number): Refused {
  return new Refused('invalid', `This account has no ${kind} ${id}`, `evidence[${index}].${kind}`)
}

/** The number in the id of an observation. */
export function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('-o') + 2))
}
