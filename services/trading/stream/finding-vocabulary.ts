import type { Labels, Tones } from '#services/framework/api/options.ts'

/** The rules find a breach or a pass in the observations of an account. */
export const findingKinds = ['breach', 'pass'] as const
export type FindingKind = (typeof findingKinds)[number]
export const findingKindLabels: Labels<typeof findingKinds> = { breach: 'Breach', pass: 'Stage passed' }

/** Reopened: what it rests on was corrected, and staff decide again. */
export const findingStates = ['proposed', 'confirmed', 'dismissed', 'reopened'] as const
export type FindingState = (typeof findingStates)[number]
export const findingStateLabels: Labels<typeof findingStates> = {
  proposed: 'Proposed',
  confirmed: 'Confirmed',
  dismissed: 'Dismissed',
  reopened: 'Reopened',
}
export const findingStateTones: Tones<typeof findingStates> = {
  proposed: 'waiting',
  confirmed: 'bad',
  dismissed: 'good',
  reopened: 'review',
}

/** What a hit of a rule about single trades leads to, without a decision. */
export const notedConsequences = ['pause', 'warning', 'excludes-profit'] as const
export const notedConsequenceLabels: Labels<typeof notedConsequences> = {
  pause: 'Trading pauses until the day ends',
  warning: 'A warning',
  'excludes-profit': 'Profit does not count',
}

/** The states that a list asks for. */
export const listedFindings = ['open', ...findingStates] as const
