import type { RuleTerms } from '#services/rules/programme.ts'

/**
 * The rules for which payouts are refused most often, as firms publish them. docs/rules.md has the page that each is
 * from, and an example that a test evaluates.
 */
export const rulePresets = [
  {
    name: 'No trading 2 minutes around news',
    rule: {
      ...{ kind: 'news', before: 2, after: 2, judges: 'either', impacts: ['high'] },
      ...{ tolerated: 0, consequence: 'breach' },
    },
  },
  {
    name: '40% counts 5 minutes around news',
    rule: {
      ...{ kind: 'news', before: 5, after: 5, judges: 'either', impacts: ['high'] },
      ...{ tolerated: 0, consequence: 'excludes-profit', counts: '40' },
    },
  },
  {
    name: 'Held for at least 60 seconds',
    rule: { kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 0, consequence: 'excludes-profit' },
  },
  {
    name: 'Flat before the weekend',
    rule: {
      ...{ kind: 'flat-at', at: '15:45', weekdays: [5], symbols: null, zone: 'America/New_York' },
      ...{ tolerated: 0, consequence: 'warning' },
    },
  },
  {
    name: 'At most 40 lots open',
    rule: { kind: 'volume', most: '40.00', per: 'open', symbols: null, tolerated: 0, consequence: 'excludes-profit' },
  },
  { name: 'No hedging', rule: { kind: 'hedging', tolerated: 0, consequence: 'breach' } },
] as const satisfies readonly { readonly name: string; readonly rule: RuleTerms }[]
