/** The contract's events of live changes. Loaded with what listens to them, never with the first page. */
export { Changes, ENDED_EVENT, READY_EVENT, Topic } from '../../../services/api/live-schemas.ts'
