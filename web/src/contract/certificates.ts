/** The contract's schema of a certificate. Loaded beside its requests. */
export { Certificate } from '../../../services/contract/certificates.ts'
