import { adminKeys } from './admin-keys.ts'
import { certificates } from './certificates.ts'
import { firm } from './firm.ts'
import { payouts } from './payouts.ts'
import { users } from './users.ts'
import type { View } from './view.ts'

export { type AdminKeyDocument, adminKeys } from './admin-keys.ts'
export { type CertificateDocument, certificates } from './certificates.ts'
export { emptyFirm, FIRM, type FirmDocument, firm } from './firm.ts'
export { type PayoutDocument, payouts } from './payouts.ts'
export { type StampDocument, stampOf } from './stamp.ts'
export { type AccountDocument, type UserDocument, users } from './users.ts'

/** Every view there is: what the worker keeps up to date. */
export const allViews: readonly View[] = [users, payouts, certificates, firm, adminKeys]
