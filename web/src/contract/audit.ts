/** The contract's schemas of the history of accounts, as auditors and traders read it. Loaded beside its requests. */
export { AuditAccountFound, AuditFact, AuditMoments, AuditState } from '../../../services/api/audit-schemas.ts'
