import type { Labels, Tones } from '#services/framework/api/options.ts'

/** The values that fields of cases may have, with their labels. */

export const caseStates = ['open', 'answered', 'decided', 'withdrawn'] as const
export type CaseStateName = (typeof caseStates)[number]
export const caseStateLabels: Labels<typeof caseStates> = {
  open: 'Open',
  answered: 'Answered',
  decided: 'Decided',
  withdrawn: 'Withdrawn',
}
export const caseStateTones: Tones<typeof caseStates> = {
  open: 'waiting',
  answered: 'review',
  decided: 'good',
  withdrawn: 'plain',
}

/** Whether nothing can change any more. */
export function isFinal({ state }: { readonly state: CaseStateName }): boolean {
  return state === 'decided' || state === 'withdrawn'
}

/** The decisions that a trader can object to. */
export const caseSubjects = ['rejection', 'breach', 'pass', 'hold', 'closing'] as const
export type CaseSubject = (typeof caseSubjects)[number]
export const caseSubjectLabels: Labels<typeof caseSubjects> = {
  rejection: 'Rejected payout',
  breach: 'Breach',
  pass: 'Dismissed pass',
  hold: 'Payout on hold',
  closing: 'Closed account',
}

export const caseOutcomes = ['upheld', 'partly', 'changed'] as const
export type CaseOutcome = (typeof caseOutcomes)[number]
export const caseOutcomeLabels: Labels<typeof caseOutcomes> = {
  upheld: 'Upheld',
  partly: 'Partly changed',
  changed: 'Changed',
}

export const caseWriters = ['trader', 'staff'] as const
export type CaseWriter = (typeof caseWriters)[number]

/** What a change of a decision is, by what was decided (cases.md, "Cases"). */
export const caseChanges = {
  payout: 'approved',
  finding: 'dismissed',
  breach: 'corrected',
  pass: 'confirmed',
  hold: 'released',
  account: 'reopened',
} as const

/** "Five in all." */
export const MOST_CASE_FILES = 5
/** "5 MB (5 × 2²⁰)", in bytes. */
export const LARGEST_CASE_FILE = 5 * 1024 * 1024
/** The text of a case, and of a message. */
export const SHORTEST_CASE_TEXT = 20
export const LONGEST_CASE_TEXT = 5_000
/** Messages of one case: more than two people write. */
export const MOST_CASE_MESSAGES = 500
/** PDF, PNG, JPEG, HTML or CSV. */
export const caseFileTypes = ['application/pdf', 'image/png', 'image/jpeg', 'text/html', 'text/csv'] as const
export type CaseFileType = (typeof caseFileTypes)[number]
