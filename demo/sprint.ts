import { programmeId } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'

/** The programme that the firm wrote itself: breaches and passes are decided by the rules alone. */

export const SPRINT = programmeId.parse('sprint-50k')

const ofSize = (percent: string) => ({ percent, of: 'account-size' as const })

type Stage = ProgrammeTerms['stages'][number]

const maximumLoss: Stage['rules'][number] = {
  kind: 'maximum-loss',
  limit: ofSize('6'),
  follows: { value: 'balance', at: 'day-close' },
  locksAbove: { amount: '0.00' },
  measures: 'equity',
  checked: 'every-change',
  touch: 'breach',
  consequence: 'breach',
}

/** @param share of the profit that the best day may have, in percent */
export function sprintTerms(share: string): ProgrammeTerms {
  const { stages, ...preset } = presetTerms('one-step', 50_000)
  const evaluation: Stage = {
    name: 'Evaluation',
    funded: false,
    rules: [
      maximumLoss,
      { kind: 'profit-target', target: ofSize('6'), measures: 'balance', whileOpen: false },
      { kind: 'minimum-days', days: 5, counts: { what: 'traded', day: 'closed' }, since: 'stage' },
      { kind: 'consistency', share, unit: 'day', profit: 'net', since: 'stage', effect: 'withholds' },
      { kind: 'holding-time', atLeast: 600, of: 'all', tolerated: 1, consequence: 'warning' },
    ],
  }
  return {
    ...preset,
    name: 'Sprint 50K',
    day: { zone: 'America/New_York', startsAt: '17:00' },
    breaches: 'automatically',
    passes: 'automatically',
    stages: [evaluation, ...stages.flatMap((stage) => (stage.funded ? [{ ...stage, rules: [maximumLoss] }] : []))],
  }
}
