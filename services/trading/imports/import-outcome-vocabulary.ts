import type { Labels, Tones } from '#services/framework/api/options.ts'

/** Outcomes of the rows of an import. Ledger rows are transfers; what the portal knows itself is skipped. */
export const importOutcomes = ['recorded', 'transfer', 'duplicate', 'skipped', 'refused', 'conflict'] as const
export type ImportOutcome = (typeof importOutcomes)[number]
export const importOutcomeLabels: Labels<typeof importOutcomes> = {
  recorded: 'Recorded',
  transfer: 'Ledger row',
  duplicate: 'Duplicate',
  skipped: 'Skipped',
  refused: 'Refused',
  conflict: 'Conflict',
}
export const importOutcomeTones: Tones<typeof importOutcomes> = {
  recorded: 'good',
  transfer: 'good',
  duplicate: 'plain',
  skipped: 'plain',
  refused: 'bad',
  conflict: 'bad',
}
