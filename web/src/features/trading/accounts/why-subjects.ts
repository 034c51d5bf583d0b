import { limitLabels } from './standing.ts'

/** Traders can read the reasons of these; 'limits' is the newest change of any. */
export const whySubjects = ['status', 'limits', 'dailyDrawdownLimit', 'overallLossLimit', 'profitTarget'] as const
export type WhySubject = (typeof whySubjects)[number]

/** The question in words: 'Why this Maximum Loss'. */
export function questionAbout(about: WhySubject): string {
  if (about === 'status') return 'Why this status'
  return about === 'limits' ? 'Why these limits' : `Why this ${limitLabels[about]}`
}
