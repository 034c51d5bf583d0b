/** The contract's schemas of a trader's own account. Loaded beside its requests. */
export { OwnAccount } from '../../../services/api/account-schemas.ts'
export { AccountHistory } from '../../../services/api/performance-schemas.ts'
