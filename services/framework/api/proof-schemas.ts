import { z } from 'zod'
import { namedObject } from './openapi-component.ts'

/** The problems of the proof, the most serious first. They are label values of a metric, and in alert rules. */
export const proofProblemKinds = [
  'log-altered',
  'seals-lost',
  'read-model-altered',
  'sealing-stopped',
  'witness-contradicts',
  'witness-silent',
  'verification-overdue',
  'record-altered',
] as const
export type ProofProblemKind = (typeof proofProblemKinds)[number]

/** Something wrong with the proof. docs/broken-proof.md says what to do about each kind. */
export const ProofProblem = namedObject('ProofProblem', {
  kind: z.enum(proofProblemKinds),
  /** It says what is wrong, and where. */
  says: z.string(),
  /** The next steps of an operator. */
  todo: z.string(),
  /** Null where it is not known. */
  since: z.iso.datetime().nullable(),
})
export type ProofProblem = z.infer<typeof ProofProblem>
