/** The contract's schemas of what administrators read and send. Loaded beside their requests and forms. */
export { AccountChanges } from '../../../services/api/account-schemas.ts'
export { EvidenceGiven } from '../../../services/api/breach-schemas.ts'
export { CertificateForm } from '../../../services/api/certificate-schemas.ts'
export { AdminPayout } from '../../../services/api/payout-schemas.ts'
export { User } from '../../../services/api/session-schemas.ts'
export { Stats } from '../../../services/api/statistics-schemas.ts'
export { ListedUser, NewUser, UserChanges, UserDetails } from '../../../services/api/user-schemas.ts'
