/** The contract's schemas of a trader's payouts. Loaded beside their requests and their form. */
export { ListedPayout, PayoutRequest } from '../../../services/api/payout-schemas.ts'
