/** The contract's schemas of a trader's own account. Loaded beside its requests. */
export { OwnAccount } from '../../../services/contract/account.ts'
export { AccountHistory } from '../../../services/contract/performance.ts'
