import { z } from 'zod'
import {
  encryptedFields,
  encryptedFieldsOf,
  type RecordedEventOf,
} from '#services/event-sourcing/read-models/projection.ts'
import type { EntryEvent } from '#services/trading/stream/ledger.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { reasonedStampOrNone, stamp, stampOf, stampOrNone } from '#services/framework/decision-stamp.ts'
import { accountFieldNames, byKind } from './account-fields.ts'
import { type AccountEvent, accountStatus, platform } from '#services/trading/stream/account.ts'
import { limitTextsOf, programmeStageOf, stageTermsOf } from '#services/trading/stream/programme-stage.ts'
import { enrolmentId, findingId, programmeId } from '#services/framework/ids.ts'
import { profitAfter } from '#services/trading/stream/account.ts'
import { centsAmount } from '#services/rules/money.ts'
import { breachEvidence } from '#services/trading/stream/decision-reason.ts'

/** An account as read models keep it, and how its events change it. */

const statusStamp = stamp.extend({
  reason: z.string().nullable(),
  evidence: breachEvidence.nullable(),
  /** The number of the breach that was a mistake. */
  corrects: z.int().nullable(),
  /** For an account under a programme, the finding that led to it, null where a person decided. */
  decision: z.object({ finding: findingId.nullable() }).nullable().default(null),
})

/** The newest decision about each limit. */
const limitStamps = z.object({
  dailyDrawdownLimit: reasonedStampOrNone.default(null),
  overallLossLimit: reasonedStampOrNone.default(null),
  profitTarget: reasonedStampOrNone.default(null),
})
type LimitStamps = z.infer<typeof limitStamps>

const programmeStage = z.object({
  enrolmentId,
  id: programmeId,
  name: z.string(),
  version: z.int(),
  hash: z.string(),
  stage: z.int(),
  funded: z.boolean(),
  size: centsAmount,
})

const text = z.string().nullable().default(null)
const cents = z.int().default(0)

/** The defaults are what a user shows before the first account was opened: pending, no money (specification §4). */
export const accountDocument = z.object({
  /** Empty before it was opened. */
  id: z.string().default(''),
  open: z.boolean().default(false),
  ...byKind(accountFieldNames, {
    money: () => cents,
    profit: () => cents,
    status: () => accountStatus.default('pending'),
    switch: () => z.boolean().default(false),
    platform: () => platform.nullable().default(null),
    text: () => text,
    limit: () => text,
    target: () => text,
    /** Encrypted; null until it is first recorded. */
    secret: () => encryptedFields.nullable().default(null),
  }),
  openedAt: z.int().nullable().default(null),
  programme: programmeStage.nullable().default(null),
  /** The newest decision about each. */
  statusStamp: statusStamp.nullable().default(null),
  phaseStamp: stampOrNone.default(null),
  limitStamps: limitStamps.prefault({}),
  payoutsStamp: stampOrNone.default(null),
  /** The stamp of the present terms; null without any. */
  termsStamp: stampOrNone.default(null),
})
export type AccountDocument = z.infer<typeof accountDocument>

export const noAccount = accountDocument.parse({})

/** The account that an event opens. */
export function openedBy(event: RecordedEventOf<AccountEvent, 'AccountOpened'>): AccountDocument {
  return {
    ...noAccount,
    id: event.data.accountId,
    open: true,
    openedAt: event.at,
    statusStamp: { ...stampOf(event), reason: null, evidence: null, corrects: null, decision: null },
  }
}

/** The events that change what an account's document shows. */
export type AccountChangeEvent =
  | RecordedEvent<EntryEvent>
  | RecordedEventOf<
      AccountEvent,
      | 'AccountStatusChanged'
      | 'ProfitLossChanged'
      | 'RiskLimitsChanged'
      | 'PlatformChanged'
      | 'PlatformLoginAssigned'
      | 'PhaseChanged'
      | 'TermsSet'
      | 'StageBegun'
      | 'PayoutsEnabled'
      | 'PayoutsDisabled'
      | 'AccountClosed'
    >

/** The account after one of its events. */
export function accountAfter(account: AccountDocument, event: AccountChangeEvent): AccountDocument {
  switch (event.type) {
    case 'AccountStatusChanged': {
      const { to, reason, evidence, corrects, finding } = event.data
      const decision = finding === undefined ? null : { finding }
      const statusStamp = { ...stampOf(event), reason, evidence, corrects: corrects?.number ?? null, decision }
      return { ...account, status: to, statusStamp }
    }
    case 'BalanceChanged':
      return { ...account, balance: event.data.to, profitLoss: profitAfter(account, event.data) }
    case 'StageBegun': {
      const { terms, stage } = event.data
      const set = { ...stampOf(event), reason: null }
      return {
        ...account,
        phase: stageTermsOf(terms, stage).name,
        ...limitTextsOf(terms, stage, event.decisions),
        profitLoss: 0,
        programme: programmeStageOf(event.data),
        phaseStamp: stampOf(event),
        limitStamps: { dailyDrawdownLimit: set, overallLossLimit: set, profitTarget: set },
        termsStamp: programmeStageOf(event.data).funded ? stampOf(event) : null,
      }
    }
    case 'EntryBooked':
    case 'PayoutDeducted':
    case 'PayoutBookedBack':
    case 'PayoutForfeited':
    case 'PayoutForfeitReversed':
      return { ...account, balance: event.data.to }
    case 'ProfitLossChanged':
      return { ...account, profitLoss: event.data.to }
    case 'RiskLimitsChanged':
      return { ...account, ...event.data.to, limitStamps: limitStampsAfter(account.limitStamps, event) }
    case 'PlatformChanged':
      return { ...account, platform: event.data.to }
    case 'PlatformLoginAssigned':
      return { ...account, ...event.data.to, masterPassword: encryptedFieldsOf(event) }
    case 'PhaseChanged':
      return { ...account, phase: event.data.to, phaseStamp: stampOf(event) }
    case 'TermsSet':
      return { ...account, termsStamp: event.data.terms && stampOf(event) }
    case 'PayoutsEnabled':
      return { ...account, payoutEnabled: true, payoutsStamp: stampOf(event) }
    case 'PayoutsDisabled':
      return { ...account, payoutEnabled: false, payoutsStamp: stampOf(event) }
    case 'AccountClosed':
      return {
        ...account,
        open: false,
        payoutEnabled: false,
        payoutsStamp: account.payoutEnabled ? stampOf(event) : account.payoutsStamp,
        masterPassword: null,
      }
  }
}

/** Only the limits that an event changed are its own: each has the event that set it. */
function limitStampsAfter(before: LimitStamps, event: RecordedEventOf<AccountEvent, 'RiskLimitsChanged'>): LimitStamps {
  const { from, to, reason } = event.data
  const set = { ...stampOf(event), reason }
  return {
    dailyDrawdownLimit: from.dailyDrawdownLimit === to.dailyDrawdownLimit ? before.dailyDrawdownLimit : set,
    overallLossLimit: from.overallLossLimit === to.overallLossLimit ? before.overallLossLimit : set,
    profitTarget: from.profitTarget === to.profitTarget ? before.profitTarget : set,
  }
}

/** The newest decision about any limit. */
export function newestLimitStamp({ limitStamps: stamps }: Pick<AccountDocument, 'limitStamps'>) {
  return Object.values(stamps).reduce(
    (newest, stamp) => (stamp && (!newest || stamp.number > newest.number) ? stamp : newest),
    null,
  )
}
