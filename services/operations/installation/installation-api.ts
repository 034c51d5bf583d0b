import { DamagedFile } from '#services/trading/certificates/certificate-api.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { ProofProblem } from '#services/framework/api/proof-schemas.ts'
import { answer, get, post } from '#services/framework/api/route.ts'
import { z } from 'zod'

/** The state of the portal, for the administrators' and auditors' page System. */

const share = z.number().min(0).max(1)

/** The processed part of the log, and the estimated seconds left; null when unknown. */
const estimate = { fraction: share, secondsLeft: z.int().nonnegative().nullable() }

/** A store or transport the portal depends on. */
export const SystemPart = namedObject('SystemPart', {
  name: z.string(),
  ready: z.boolean(),
  /** Whether requests need it. Without any other the portal is degraded: mails wait. */
  needed: z.boolean(),
})
export type SystemPart = z.infer<typeof SystemPart>

/** A projection or another subscription of the log. */
export const SystemReader = namedObject('SystemReader', {
  name: z.string(),
  /** The number of the last event that it includes. */
  position: z.int().nonnegative(),
  caughtUp: z.boolean(),
  /** While it is behind. */
  catchingUp: z.object(estimate).nullable(),
  /**
   * The state of a rebuild beside the served read model: 'asked' before it begins, 'finishing' once the log is read.
   */
  rebuild: z
    .object({ state: z.enum(['asked', 'building', 'finishing']), position: z.int().nonnegative(), ...estimate })
    .nullable(),
})
export type SystemReader = z.infer<typeof SystemReader>

/** A dead letter: an event that a subscription could not process. It blocks its stream until it is retried. */
export const SetAsideEvent = namedObject('SetAsideEvent', {
  /** 'users.1042': the subscription and the event's number. */
  id: z.string(),
  reader: z.string(),
  number: z.int().positive(),
  stream: z.string(),
  revision: z.int().nonnegative(),
  type: z.string(),
  error: z.string(),
  /** A retry is in progress. */
  retrying: z.boolean(),
})
export type SetAsideEvent = z.infer<typeof SetAsideEvent>

/** A mail that failed for good. */
export const FailedMail = namedObject('FailedMail', {
  id: z.string(),
  kind: z.string(),
  stream: z.string(),
  attempts: z.int().positive(),
  error: z.string(),
})
export type FailedMail = z.infer<typeof FailedMail>

/** A mail that waits for another try. */
export const RetryingMail = namedObject('RetryingMail', {
  id: z.string(),
  kind: z.string(),
  stream: z.string(),
  attempts: z.int().positive(),
  /** Why the last try failed: the step, its answer, and what that means. */
  error: z.string(),
  nextTry: z.iso.datetime(),
})
export type RetryingMail = z.infer<typeof RetryingMail>

/** A backup, or a verification of the whole log: when it began and ended, and how many events it had, up to which number. */
export const operationRecord = z.object({
  startedAt: z.iso.datetime(),
  at: z.iso.datetime(),
  events: z.int().nonnegative(),
  upTo: z.int().nonnegative(),
})
export type OperationRecord = z.infer<typeof operationRecord>

/** GET /api/admin/system */
export const System = namedObject('System', {
  at: z.iso.datetime(),
  installation: z.object({
    version: z.string(),
    /** When the process that answers was started. */
    startedAt: z.iso.datetime(),
    /** The disk of the data folder, in bytes. */
    disk: z.object({ free: z.number().nonnegative(), total: z.number().nonnegative() }).nullable(),
    lastBackup: operationRecord.nullable(),
    /** The last one that found nothing. */
    lastVerification: operationRecord.nullable(),
  }),
  /**
   * Answers with a server error (5xx) to API calls. They are counted since midnight UTC, or since the answering process
   * started.
   */
  serverErrors: z.object({ count: z.int().nonnegative(), since: z.iso.datetime() }),
  parts: z.array(SystemPart),
  /** The number of the newest event; 0 for none. */
  newest: z.int().nonnegative(),
  readers: z.array(SystemReader),
  setAside: z.array(SetAsideEvent),
  /** As the process that answers has met them since its start, at most a hundred; `audit verify` checks all. */
  damagedFiles: z.array(DamagedFile),
  mail: z.object({
    /** Where mails are written as files, for want of a mail server: nobody gets them. Null with one. */
    folder: z.string().nullable(),
    waiting: z.int().nonnegative(),
    sent: z.int().nonnegative(),
    failed: z.int().nonnegative(),
    /** The oldest failures first, at most a hundred. */
    failures: z.array(FailedMail),
    /** Those that are tried again, the next ones first, at most a hundred. */
    retrying: z.array(RetryingMail),
  }),
  seals: z.object({
    /** The newest seal; null before the first. */
    newest: z
      .object({ number: z.int().positive(), sealedAt: z.iso.datetime(), upTo: z.int().positive(), keyId: z.string() })
      .nullable(),
    /** Events that wait for a seal, counted up to a thousand; seals themselves do not count. */
    unsealed: z.int().nonnegative(),
    everySeconds: z.int().positive(),
    /** Where what was sealed is kept for whoever sets back the whole data folder: in it, where only a witness would notice. */
    kept: z.enum(['elsewhere', 'witnessed', 'in the data folder']),
  }),
  /** The proof of the log. */
  proof: z.object({
    /** Its problems, the most serious first. */
    problems: z.array(ProofProblem),
    /** The verification of the whole log that is under way, and how much of the log it has read. */
    verifying: z.object({ startedAt: z.iso.datetime(), fraction: share }).nullable(),
  }),
})
export type System = z.infer<typeof System>

/** The calls about the installation. */
export const systemRoutes = {
  system: get('/api/admin/system', 'read', {
    summary: 'The state of the portal: parts, read models and their rebuilds, dead letters, mail, seals',
    position: 'tries',
    answer: answer('The state', System),
  }),
  retryEvent: post('/api/admin/system/poison/:id/retry', 'operate', {
    summary: 'Retry a dead letter; a read model is rebuilt for it beside the one in use',
    params: z.object({ id: described('The id of the dead letter', z.string()) }),
  }),
}
