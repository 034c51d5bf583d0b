/** The contract's schema of the page System. Loaded beside its request. */
export { System } from '../../../services/api/system-schemas.ts'
