/** The contract's schemas of the session. Loaded beside a request or a form, never with the first page. */
export * from '../../../services/api/session-schemas.ts'
