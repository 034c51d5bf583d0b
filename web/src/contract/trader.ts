/** The contract's schemas of what traders read and send. Loaded beside their requests and forms. */
export { OwnAccount } from '../../../services/contract/account.ts'
export { Certificate } from '../../../services/contract/certificates.ts'
export { Offer } from '../../../services/contract/offers.ts'
export { ListedPayout, Payout, PayoutRequest } from '../../../services/contract/payouts.ts'
export { AccountHistory } from '../../../services/contract/performance.ts'
