/** The contract's schema of an account that is for sale. Loaded beside its request. */
export { Offer } from '../../../services/api/offer-schemas.ts'
