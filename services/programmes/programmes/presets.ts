import { accountSizes, type Challenge, challenges, programmeOf } from './challenges.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'

/**
 * The programmes that a new portal begins with: One-Step and Two-Step of specification §9 in six sizes, with the
 * parameters that the specification leaves open as the domain's page sets them.
 */

const ofSize = (percent: string) => ({ percent, of: 'account-size' as const })

const limits = [
  {
    kind: 'maximum-loss',
    limit: ofSize('10'),
    follows: null,
    locksAbove: null,
    measures: 'equity',
    checked: 'every-change',
    touch: 'breach',
    consequence: 'breach',
  },
  {
    kind: 'daily-loss',
    limit: ofSize('5'),
    from: 'day-start-balance',
    measures: 'equity',
    checked: 'every-change',
    touch: 'breach',
    consequence: 'breach',
  },
] as const satisfies ProgrammeTerms['stages'][number]['rules']

const evaluation = (name: string, target: string) =>
  ({
    name,
    funded: false,
    rules: [...limits, { kind: 'profit-target', target: ofSize(target), measures: 'balance', whileOpen: false }],
  }) satisfies ProgrammeTerms['stages'][number]

const funded = {
  name: 'Funded',
  funded: true,
  rules: [...limits],
  payouts: {
    takes: 'request',
    split: '80',
    splitAfter: [],
    firstAfterDays: 14,
    firstCountsFrom: 'stage',
    everyDays: 14,
    minimum: { amount: '50.00' },
    minimumOf: 'share',
    cap: null,
    capFor: null,
    buffer: { amount: '0.00' },
    mostOfProfit: '100',
    floor: 'stays',
  },
} satisfies ProgrammeTerms['stages'][number]

const stages: Readonly<Record<Challenge, ProgrammeTerms['stages']>> = {
  'one-step': [evaluation('Phase 1', '10'), funded],
  'two-step': [evaluation('Phase 1', '8'), evaluation('Phase 2', '5'), funded],
}

const names: Readonly<Record<Challenge, string>> = { 'one-step': 'One-Step', 'two-step': 'Two-Step' }

/** The terms of a preset. @param size of the account, in whole dollars */
export function presetTerms(challenge: Challenge, size: number): ProgrammeTerms {
  return {
    name: `${names[challenge]} ${size / 1_000}K`,
    currency: 'USD',
    accountSize: `${size}.00`,
    day: { zone: 'UTC', startsAt: '00:00' },
    breaches: 'proposed',
    stages: stages[challenge],
  }
}

/** All presets with their ids. */
export const presets: readonly { readonly id: string; readonly terms: ProgrammeTerms }[] = challenges.flatMap(
  (challenge) =>
    accountSizes.map((size) => ({ id: programmeOf(challenge, size), terms: presetTerms(challenge, size) })),
)
