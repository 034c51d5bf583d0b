import { adminKeys } from '#services/modules/staff/member-read-model.ts'
import { certificates } from '#services/modules/certificates/certificate-read-model.ts'
import { firmDays } from '#services/modules/statistics/firm-day-read-model.ts'
import { firm } from '#services/modules/statistics/firm-read-model.ts'
import { payouts } from '#services/modules/payouts/payout-read-model.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'

export { type AdminKeyDocument, adminKeys } from '#services/modules/staff/member-read-model.ts'
export { type CertificateDocument, certificates } from '#services/modules/certificates/certificate-read-model.ts'
export { emptyDay, type FirmDayDocument, firmDays, utcDay } from '#services/modules/statistics/firm-day-read-model.ts'
export { emptyFirm, FIRM, type FirmDocument, firm } from '#services/modules/statistics/firm-read-model.ts'
export { type PayoutDocument, payouts } from '#services/modules/payouts/payout-read-model.ts'
export { type StampDocument, stampOf } from '#services/modules/decision-stamp.ts'
export { type AccountDocument, type UserDocument, users } from '#services/modules/users/user-read-model.ts'

/** All projections: the worker keeps their read models up to date. */
export const allProjections: readonly Projection[] = [users, payouts, certificates, firm, firmDays, adminKeys]
