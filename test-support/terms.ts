import type { AccountTerms } from '#services/rules/programme.ts'
import type { PayoutTerms } from '#services/rules/payouts.ts'

type Rules = AccountTerms['stages'][number]['rules']

/** Terms of a funded account of $100,000.00: a static floor at $90,000.00, payouts at any time, split 80. */
export function sampleTerms(payouts: Partial<PayoutTerms> = {}, rules: Rules = [maximumLoss()]): AccountTerms {
  return {
    name: 'Funded 100K',
    currency: 'USD',
    accountSize: '100000.00',
    day: { zone: 'UTC', startsAt: '00:00' },
    breaches: 'proposed',
    stages: [
      {
        name: 'Funded',
        funded: true,
        rules,
        payouts: {
          takes: 'request',
          split: '80',
          splitAfter: [],
          firstAfterDays: 0,
          firstCountsFrom: 'stage',
          everyDays: 0,
          minimum: { amount: '0.00' },
          minimumOf: 'share',
          cap: null,
          capFor: null,
          buffer: { amount: '0.00' },
          mostOfProfit: '100',
          floor: 'stays',
          ...payouts,
        },
      },
    ],
  }
}

/** By default a floor at $90,000.00 that follows nothing. */
export function maximumLoss(changes: Partial<Extract<Rules[number], { kind: 'maximum-loss' }>> = {}): Rules[number] {
  return {
    kind: 'maximum-loss',
    limit: { percent: '10', of: 'account-size' },
    follows: null,
    locksAbove: null,
    measures: 'equity',
    checked: 'every-change',
    touch: 'breach',
    consequence: 'breach',
    ...changes,
  }
}
