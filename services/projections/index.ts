import { adminKeys } from './access-key-projection.ts'
import { balanceChanges } from './balance-projection.ts'
import { certificates } from './certificate-projection.ts'
import { decisions } from './decision-projection.ts'
import { firmDays } from './firm-day-projection.ts'
import { firm } from './firm-statistics-projection.ts'
import { payouts } from './payout-projection.ts'
import { users } from './user-projection.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'

export { type AdminKeyDocument, adminKeys } from './access-key-projection.ts'
export { type BalanceChangeDocument, balanceChanges } from './balance-projection.ts'
export { type CertificateDocument, certificates } from './certificate-projection.ts'
export { type DecisionDocument, decisions } from './decision-projection.ts'
export { emptyDay, type FirmDayDocument, firmDays, utcDay } from './firm-day-projection.ts'
export { emptyFirm, FIRM, type FirmDocument, firm } from './firm-statistics-projection.ts'
export { type PayoutDocument, payouts } from './payout-projection.ts'
export type { StampDocument } from './decision-stamp.ts'
export { type AccountDocument, type UserDocument, users } from './user-projection.ts'

/** All projections: the worker keeps their read models up to date. */
export const allProjections: readonly Projection[] = [users, payouts, certificates, firm, firmDays, adminKeys, balanceChanges, decisions]
