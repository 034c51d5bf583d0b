/** The contract's schema of a certificate. Loaded beside its requests. */
export { Certificate } from '../../../services/api/certificate-schemas.ts'
