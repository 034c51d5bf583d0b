import type { RuleTerms } from './programme.ts'

/** The kinds of rules in words. Apart from their sentences, which fewer pages need. */
export const ruleKindLabels: Readonly<Record<string, string>> = {
  'maximum-loss': 'Maximum loss',
  'daily-loss': 'Daily loss',
  'profit-target': 'Profit target',
  'minimum-days': 'Minimum days',
  'maximum-days': 'Maximum days',
  inactivity: 'Inactivity',
  consistency: 'Consistency',
  'holding-time': 'Holding time',
  'flat-at': 'Flat at a time',
  news: 'News',
  volume: 'Volume',
  symbols: 'Symbols',
  hedging: 'Hedging',
  'trades-per-day': 'Trades per day',
  'short-trades': 'Short trades',
} satisfies Readonly<Record<RuleTerms['kind'], string>>
