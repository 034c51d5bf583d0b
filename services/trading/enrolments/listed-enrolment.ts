import { isoTime } from '#services/framework/event-description.ts'

import type { ListedEnrolment } from './enrolment-api.ts'

interface EnrolmentToList {
  readonly id: string
  readonly programme: string
  readonly name: string
  readonly version: number
  readonly hash: string
  /** What the shop calls the order. */
  readonly orderNumber: string | null
  /** Times in ms since 1970. */
  readonly accepted: { readonly hash: string; readonly at: number } | null
  readonly accounts: readonly string[]
  readonly at: number
}

/** An enrolment in an answer. */
export function listedEnrolment({
  at,
  accepted,
  accounts,
  orderNumber: order,
  ...enrolment
}: EnrolmentToList): ListedEnrolment {
  const { id, programme, name, version, hash } = enrolment
  return {
    ...{ id, programme, name, version, hash, order },
    accepted: accepted && { hash: accepted.hash, at: isoTime(accepted.at) },
    accounts: accounts.map((account, stage) => ({ stage, account })),
    at: isoTime(at),
  }
}
