/** The contract's schemas of what administrators read and send. Loaded beside their requests and forms. */
export { AccountChanges } from '../../../services/contract/account.ts'
export { EvidenceGiven } from '../../../services/contract/breach.ts'
export { CertificateForm } from '../../../services/contract/certificates.ts'
export { AdminPayout } from '../../../services/contract/payouts.ts'
export { User } from '../../../services/contract/session.ts'
export { Stats } from '../../../services/contract/stats.ts'
export { ListedUser, NewUser, UserChanges, UserDetails } from '../../../services/contract/users.ts'
