import type { RuleTerms } from './programme.ts'

/**
 * The sentences in which terms are read and written: a text with named blanks. Pages that show terms fill the blanks
 * with words, the editor with fields, so that both say the same. A kind of rule is one entry of {@link ruleSentences}.
 */
export interface Sentence {
  /** '{limit} below {from}.' A blank that comes again is the same. '{=floor}' is a figure that is computed. */
  readonly text: string
  readonly blanks: Readonly<Record<string, Blank>>
}

export type Blank =
  | ChoiceBlank
  | AmountBlank
  | CountBlank
  | PercentBlank
  | TextBlank
  | SplitsBlank
  | NamesBlank
  | SeveralBlank

interface Place {
  /** Path of the value in what the sentence is about: 'counts.atLeast'. */
  readonly at: string
  /** Names the field for those who do not see the sentence. */
  readonly label: string
}

/** One of several words. */
export interface ChoiceBlank extends Place {
  readonly kind: 'choice'
  /** Where nothing stands at this path, the choice means nothing: the editor leaves it out while it is null as well. */
  readonly onlyWith?: string
  readonly options: readonly Option[]
}

export interface Option {
  /** What its choice fills in; undefined for a field that is left out then. */
  readonly value: OptionValue | undefined
  /** Whether a value is of this option; by default one that equals its own. */
  readonly holds?: (value: unknown) => boolean
  /** What terms say with it; it may have blanks. */
  readonly words: string
  /** The words in a list of options, where they are others. */
  readonly label?: string
  /** What follows the label in the editor: by default the words from their first blank on. */
  readonly rest?: string
}

export type OptionValue =
  | string
  | number
  | boolean
  | null
  | readonly OptionValue[]
  | { readonly [name: string]: OptionValue }

/** Dollars, or a percentage of something. */
export interface AmountBlank extends Place {
  readonly kind: 'amount'
  readonly of: readonly Whole[]
  /** False where dollars are the same for accounts of all sizes, unless somebody types others. */
  readonly scales?: false
}

export type Whole = keyof typeof wholes

export const wholes = {
  'account-size': 'the account size',
  high: 'the highest value',
  'day-start-balance': 'the balance at the start of the day',
  'day-start-equity': 'the equity at the start of the day',
  'day-start-higher': 'the higher of balance and equity at the start of the day',
  'day-high-equity': 'the highest equity of the day',
} as const

/** A number of something. */
export interface CountBlank extends Place {
  readonly kind: 'count'
  readonly one: 'hour' | 'day' | 'payout' | 'second' | 'minute' | 'position' | 'time'
  readonly least: 0 | 1
  readonly most?: number
}

/** A percentage; its sign stands in the text. */
export interface PercentBlank extends Place {
  readonly kind: 'percent'
}

export interface TextBlank extends Place {
  readonly kind: 'time' | 'zone' | 'volume'
}

/** The trader's shares after some payouts. */
export interface SplitsBlank extends Place {
  readonly kind: 'splits'
}

/** Symbols, or their beginnings with `*`. */
export interface NamesBlank extends Place {
  readonly kind: 'names'
}

/** Several of some words. */
export interface SeveralBlank extends Place {
  readonly kind: 'several'
  readonly options: readonly { readonly value: string | number; readonly words: string }[]
}

const consequence: ChoiceBlank = {
  kind: 'choice',
  at: 'consequence',
  label: 'What happens then',
  options: [
    { value: 'breach', words: 'the account is breached' },
    { value: 'pause', words: 'trading pauses until the day ends' },
    { value: 'warning', words: 'there is a warning' },
  ],
}

/** What waits is known where the stage is: it is passed later, or what it pays out. */
const withholds: Option = {
  value: 'withholds',
  words: 'Until then {=waits}.',
  label: 'Until then the stage or the payout waits.',
  rest: '',
}

const since: ChoiceBlank = {
  kind: 'choice',
  at: 'since',
  label: 'Counted from',
  options: [
    { value: 'stage', words: '', label: 'counted from the start of the stage' },
    { value: 'last-payout', words: ', counted from the last payout' },
  ],
}

/** When a floor is reached, and what happens then. */
const reached = {
  text: 'When the {measures} is {touch}{checked}, {consequence}.',
  blanks: {
    measures: {
      kind: 'choice',
      at: 'measures',
      label: 'Measured value',
      options: [
        { value: 'equity', words: 'equity' },
        { value: 'balance', words: 'balance' },
        { value: 'lower', words: 'lower of balance and equity' },
      ],
    },
    touch: {
      kind: 'choice',
      at: 'touch',
      label: 'Too low is',
      options: [
        { value: 'breach', words: 'at or below it' },
        { value: 'allowed', words: 'below it' },
      ],
    },
    checked: {
      kind: 'choice',
      at: 'checked',
      label: 'Checked',
      options: [
        { value: 'every-change', words: '', label: 'at any moment' },
        { value: 'day-close', words: ' at the end of a day' },
      ],
    },
    consequence,
  },
} as const satisfies Sentence

const isSet = (value: unknown): boolean => value !== null
const isText = (value: unknown): boolean => typeof value === 'string'
const isAbove0 = (value: unknown): boolean => value !== 0

const isWhat = (what: string) => (value: unknown) =>
  typeof value === 'object' && value !== null && 'what' in value && value.what === what

/** How often something is tolerated, and what happens after that. */
const hit = {
  text: '{tolerated}{outcome}.',
  blanks: {
    tolerated: {
      kind: 'choice',
      at: 'tolerated',
      label: 'Tolerated',
      options: [
        { value: 0, words: 'If it happens, ', label: 'If it happens,' },
        {
          value: 1,
          holds: isAbove0,
          words: 'It is tolerated {times}; after that ',
          label: 'It is tolerated',
          rest: ' {times}; after that ',
        },
      ],
    },
    times: { kind: 'count', at: 'tolerated', label: 'How often it is tolerated', one: 'time', least: 1 },
    outcome: {
      kind: 'choice',
      at: 'consequence',
      label: 'What happens then',
      options: [
        ...consequence.options,
        {
          value: 'excludes-profit',
          words: '{counts}',
          label: 'profit of the trade does not count:',
          rest: ' {counts}',
        },
      ],
    },
    counts: {
      kind: 'choice',
      at: 'counts',
      label: 'Profit that still counts',
      options: [
        { value: undefined, words: 'the profit of the trade does not count', label: 'none of it counts' },
        {
          value: '40',
          holds: isText,
          words: 'only {share}% of the profit of the trade counts',
          label: 'a part of it counts:',
          rest: ' {share}%',
        },
      ],
    },
    share: { kind: 'percent', at: 'counts', label: 'Profit that still counts in %' },
  },
} as const satisfies Sentence

/** The symbols that a rule is about. */
const symbolsOf = (all: string): Sentence['blanks'] => ({
  symbols: {
    kind: 'choice',
    at: 'symbols',
    label: 'Symbols',
    options: [
      { value: null, words: '', label: all },
      { value: ['XAU*'], holds: isSet, words: ' in {names}', label: 'only in', rest: ' {names}' },
    ],
  },
  names: { kind: 'names', at: 'symbols', label: 'Names of symbols' },
})

type RuleSentences = {
  readonly [Kind in RuleTerms['kind']]: Sentence & {
    /** What a rule of this kind says before somebody changes it. */
    readonly initial: Extract<RuleTerms, { kind: Kind }>
  }
}

/** Each kind of rule. The editor offers the kinds in this order. */
export const ruleSentences: RuleSentences = {
  'maximum-loss': {
    text: `{limit}{follows}. ${reached.text}{locksAbove}`,
    blanks: {
      limit: { kind: 'amount', at: 'limit', label: 'Maximum loss', of: ['account-size', 'high'] },
      follows: {
        kind: 'choice',
        at: 'follows',
        label: 'Counted below',
        options: [
          { value: null, words: ': the floor is {=floor}', label: 'below the account size, fixed', rest: '' },
          {
            value: { value: 'balance', at: 'every-change' },
            words: ' below the highest balance at any moment, at first the account size',
          },
          {
            value: { value: 'balance', at: 'day-close' },
            words: ' below the highest balance at the end of a day, at first the account size',
          },
          {
            value: { value: 'equity', at: 'every-change' },
            words: ' below the highest equity at any moment, at first the account size',
          },
          {
            value: { value: 'equity', at: 'day-close' },
            words: ' below the highest equity at the end of a day, at first the account size',
          },
          {
            value: { value: 'higher', at: 'every-change' },
            words: ' below the highest value of balance and equity at any moment, at first the account size',
          },
          {
            value: { value: 'higher', at: 'day-close' },
            words: ' below the highest value of balance and equity at the end of a day, at first the account size',
          },
        ],
      },
      ...reached.blanks,
      locksAbove: {
        kind: 'choice',
        at: 'locksAbove',
        label: 'Where the floor stops',
        onlyWith: 'follows',
        options: [
          { value: null, words: '', label: 'The floor never stops for good.' },
          {
            value: { amount: '0.00' },
            holds: isSet,
            words: ' The floor stops for good at {=stop}.',
            label: 'The floor stops for good above the account size by',
            rest: ' {stopsAbove}.',
          },
        ],
      },
      stopsAbove: { kind: 'amount', at: 'locksAbove', label: 'Above the account size', of: ['account-size'] },
    },
    initial: {
      kind: 'maximum-loss',
      limit: { percent: '10', of: 'account-size' },
      follows: null,
      locksAbove: null,
      measures: 'equity',
      checked: 'every-change',
      touch: 'breach',
      consequence: 'breach',
    },
  },
  'daily-loss': {
    text: `{limit} below {from}. ${reached.text}`,
    blanks: {
      limit: {
        kind: 'amount',
        at: 'limit',
        label: 'Daily loss',
        of: ['account-size', 'day-start-balance', 'day-start-equity', 'day-start-higher', 'day-high-equity'],
      },
      from: {
        kind: 'choice',
        at: 'from',
        label: 'Counted below',
        options: [
          { value: 'day-start-balance', words: wholes['day-start-balance'] },
          { value: 'day-start-equity', words: wholes['day-start-equity'] },
          { value: 'day-start-higher', words: wholes['day-start-higher'] },
          { value: 'day-high-equity', words: wholes['day-high-equity'] },
        ],
      },
      ...reached.blanks,
    },
    initial: {
      kind: 'daily-loss',
      limit: { percent: '5', of: 'account-size' },
      from: 'day-start-balance',
      measures: 'equity',
      checked: 'every-change',
      touch: 'breach',
      consequence: 'breach',
    },
  },
  'profit-target': {
    text: '{target} on the {measures}{whileOpen}',
    blanks: {
      target: { kind: 'amount', at: 'target', label: 'Profit target', of: ['account-size'] },
      measures: {
        kind: 'choice',
        at: 'measures',
        label: 'Measured value',
        options: [
          { value: 'balance', words: 'balance' },
          { value: 'equity', words: 'equity' },
        ],
      },
      whileOpen: {
        kind: 'choice',
        at: 'whileOpen',
        label: 'Open positions',
        options: [
          { value: false, words: ', with no open position' },
          { value: true, words: '', label: 'also with open positions' },
        ],
      },
    },
    initial: {
      kind: 'profit-target',
      target: { percent: '8', of: 'account-size' },
      measures: 'balance',
      whileOpen: false,
    },
  },
  'minimum-days': {
    text: '{days} {counts}{since}',
    blanks: {
      days: { kind: 'count', at: 'days', label: 'Minimum days', one: 'day', least: 1 },
      counts: {
        kind: 'choice',
        at: 'counts',
        label: 'Days that count',
        options: [
          { value: { what: 'traded', day: 'opened' }, words: 'on which a trade was opened' },
          { value: { what: 'traded', day: 'closed' }, words: 'on which a trade was closed' },
          {
            value: { what: 'profit', atLeast: { percent: '0.5', of: 'account-size' }, of: 'closed' },
            holds: isWhat('profit'),
            words: 'with a profit of at least {atLeast}{of}',
          },
          {
            value: { what: 'result', atLeast: { percent: '0.5', of: 'account-size' }, of: 'closed' },
            holds: isWhat('result'),
            words: 'with a profit or a loss of at least {atLeast}{of}',
          },
          { value: { what: 'calendar' }, words: 'by the calendar' },
        ],
      },
      atLeast: { kind: 'amount', at: 'counts.atLeast', label: 'Result of the day', of: ['account-size'] },
      of: {
        kind: 'choice',
        at: 'counts.of',
        label: 'Result in',
        options: [
          { value: 'closed', words: '', label: 'in the balance' },
          { value: 'equity', words: ' in equity' },
        ],
      },
      since,
    },
    initial: { kind: 'minimum-days', days: 4, counts: { what: 'traded', day: 'opened' }, since: 'stage' },
  },
  'maximum-days': {
    text: '{days}{counts}; after them {consequence}',
    blanks: {
      days: { kind: 'count', at: 'days', label: 'Maximum days', one: 'day', least: 1 },
      counts: {
        kind: 'choice',
        at: 'counts',
        label: 'Days that count',
        options: [
          { value: 'calendar', words: '', label: 'by the calendar' },
          { value: 'traded', words: ' with a trade' },
        ],
      },
      consequence,
    },
    initial: { kind: 'maximum-days', days: 30, counts: 'calendar', consequence: 'breach' },
  },
  inactivity: {
    text: 'After {days} in a row without a trade {consequence}',
    blanks: {
      days: { kind: 'count', at: 'days', label: 'Days without a trade', one: 'day', least: 1 },
      consequence,
    },
    initial: { kind: 'inactivity', days: 30, consequence: 'breach' },
  },
  consistency: {
    text: 'The best {unit} is at most {share}% of the {profit}{since}. {effect}',
    blanks: {
      unit: {
        kind: 'choice',
        at: 'unit',
        label: 'The best',
        options: [
          { value: 'day', words: 'day' },
          { value: 'trade', words: 'trade' },
        ],
      },
      share: { kind: 'percent', at: 'share', label: 'Largest part of the profit in %' },
      profit: {
        kind: 'choice',
        at: 'profit',
        label: 'Profit',
        options: [
          { value: 'net', words: 'profit' },
          { value: 'profitable-days', words: 'profit of the profitable days' },
        ],
      },
      since,
      effect: {
        kind: 'choice',
        at: 'effect',
        label: 'What happens above it',
        options: [
          withholds,
          { value: 'raises-target', words: 'Otherwise the profit target rises until it is.' },
          { value: 'excludes-excess', words: 'What is above it does not count as profit.' },
        ],
      },
    },
    initial: {
      kind: 'consistency',
      share: '50',
      unit: 'day',
      profit: 'net',
      since: 'stage',
      effect: 'withholds',
    },
  },
  'holding-time': {
    text: `No {of} may be held for less than {atLeast}. ${hit.text}`,
    blanks: {
      of: {
        kind: 'choice',
        at: 'of',
        label: 'Trades',
        options: [
          { value: 'all', words: 'trade' },
          { value: 'profitable', words: 'profitable trade' },
        ],
      },
      atLeast: { kind: 'count', at: 'atLeast', label: 'Shortest holding time', one: 'second', least: 0 },
      ...hit.blanks,
    },
    initial: { kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 0, consequence: 'warning' },
  },
  'flat-at': {
    text: `No trade{symbols} may be open on {weekdays} at {at}{zone}. ${hit.text}`,
    blanks: {
      ...symbolsOf('in any symbol'),
      weekdays: {
        kind: 'several',
        at: 'weekdays',
        label: 'Weekdays',
        options: [
          { value: 1, words: 'Mondays' },
          { value: 2, words: 'Tuesdays' },
          { value: 3, words: 'Wednesdays' },
          { value: 4, words: 'Thursdays' },
          { value: 5, words: 'Fridays' },
          { value: 6, words: 'Saturdays' },
          { value: 7, words: 'Sundays' },
        ],
      },
      at: { kind: 'time', at: 'at', label: 'Time of day' },
      zone: {
        kind: 'choice',
        at: 'zone',
        label: 'Time zone',
        options: [
          { value: undefined, words: '', label: 'in the time zone of the trading day' },
          {
            value: 'America/New_York',
            holds: isText,
            words: ' in the time zone {name}',
            label: 'in the time zone',
            rest: ' {name}',
          },
        ],
      },
      name: { kind: 'zone', at: 'zone', label: 'Name of the time zone' },
      ...hit.blanks,
    },
    initial: {
      ...{ kind: 'flat-at', at: '16:50', weekdays: [5], symbols: null, zone: 'America/New_York' },
      ...{ tolerated: 0, consequence: 'warning' },
    },
  },
  news: {
    text: `No trade may be {judges} from {before} before to {after} after news of {impacts} impact. ${hit.text}`,
    blanks: {
      judges: {
        kind: 'choice',
        at: 'judges',
        label: 'What is judged',
        options: [
          { value: 'opening', words: 'opened' },
          { value: 'closing', words: 'closed' },
          { value: 'either', words: 'opened or closed' },
          { value: 'holding', words: 'open' },
        ],
      },
      before: { kind: 'count', at: 'before', label: 'Minutes before news', one: 'minute', least: 0 },
      after: { kind: 'count', at: 'after', label: 'Minutes after news', one: 'minute', least: 0 },
      impacts: {
        kind: 'several',
        at: 'impacts',
        label: 'Impact',
        options: [
          { value: 'low', words: 'low' },
          { value: 'medium', words: 'medium' },
          { value: 'high', words: 'high' },
        ],
      },
      ...hit.blanks,
    },
    initial: {
      ...{ kind: 'news', before: 2, after: 2, judges: 'either', impacts: ['high'] },
      ...{ tolerated: 0, consequence: 'excludes-profit' },
    },
  },
  volume: {
    text: `{per}{symbols} may be above a volume of {most}. ${hit.text}`,
    blanks: {
      per: {
        kind: 'choice',
        at: 'per',
        label: 'Volume of',
        options: [
          { value: 'trade', words: 'No position' },
          { value: 'open', words: 'No positions that are open together' },
        ],
      },
      ...symbolsOf('in all symbols'),
      most: { kind: 'volume', at: 'most', label: 'Largest volume' },
      ...hit.blanks,
    },
    initial: { kind: 'volume', most: '10.00', per: 'open', symbols: null, tolerated: 0, consequence: 'warning' },
  },
  symbols: {
    text: `{allowed}{forbidden}. ${hit.text}`,
    blanks: {
      allowed: {
        kind: 'choice',
        at: 'allowed',
        label: 'Allowed symbols',
        options: [
          { value: null, words: '', label: 'Without a list of allowed symbols,' },
          {
            value: ['EURUSD'],
            holds: isSet,
            words: 'Only {these} may be traded',
            label: 'Only',
            rest: ' {these} may be traded',
          },
        ],
      },
      these: { kind: 'names', at: 'allowed', label: 'Names of allowed symbols' },
      forbidden: {
        kind: 'choice',
        at: 'forbidden',
        label: 'Forbidden symbols',
        options: [
          { value: null, words: '', label: 'nothing is forbidden' },
          { value: ['BTC*'], holds: isSet, words: 'No trades in {those}', label: 'no trades in', rest: ' {those}' },
        ],
      },
      those: { kind: 'names', at: 'forbidden', label: 'Names of forbidden symbols' },
      ...hit.blanks,
    },
    initial: { kind: 'symbols', allowed: null, forbidden: ['BTC*'], tolerated: 0, consequence: 'warning' },
  },
  hedging: {
    text: `No two trades of one symbol may be open in opposite directions at once. ${hit.text}`,
    blanks: { ...hit.blanks },
    initial: { kind: 'hedging', tolerated: 0, consequence: 'warning' },
  },
  'trades-per-day': {
    text: `No more than {most} may be {day} in a trading day. ${hit.text}`,
    blanks: {
      most: { kind: 'count', at: 'most', label: 'Positions a day', one: 'position', least: 0 },
      day: {
        kind: 'choice',
        at: 'day',
        label: 'The day counts on which they are',
        options: [
          { value: 'opened', words: 'opened' },
          { value: 'closed', words: 'closed' },
        ],
      },
      ...hit.blanks,
    },
    initial: { kind: 'trades-per-day', most: 10, day: 'opened', tolerated: 0, consequence: 'warning' },
  },
  'short-trades': {
    text: 'At most {mostShare}% of {by} may come from trades that are held for less than {shorterThan}{since}. {effect}',
    blanks: {
      mostShare: { kind: 'percent', at: 'mostShare', label: 'Largest share of short trades in %' },
      by: {
        kind: 'choice',
        at: 'by',
        label: 'Share of',
        options: [
          { value: 'profit', words: 'the profit of profitable trades' },
          { value: 'trades', words: 'all trades' },
        ],
      },
      shorterThan: { kind: 'count', at: 'shorterThan', label: 'Short is less than', one: 'second', least: 0 },
      since,
      effect: {
        kind: 'choice',
        at: 'effect',
        label: 'What happens above it',
        options: [withholds],
      },
    },
    initial: {
      ...{ kind: 'short-trades', shorterThan: 60, by: 'profit', mostShare: '50', since: 'stage' },
      effect: 'withholds',
    },
  },
}

/** A sentence with its title. */
export interface TitledSentence extends Sentence {
  readonly title: string
}

/** The payouts of a funded stage, in the order in which they are read. */
export const payoutSentences = {
  split: {
    title: "Trader's share",
    text: '{split}% of the profit{splitAfter}',
    blanks: {
      split: { kind: 'percent', at: 'split', label: "Trader's share in %" },
      splitAfter: { kind: 'splits', at: 'splitAfter', label: 'Later shares' },
    },
  },
  when: {
    title: 'Payouts',
    text: '{takes}; the first {first}, {next}',
    blanks: {
      takes: {
        kind: 'choice',
        at: 'takes',
        label: 'Amount of a payout',
        options: [
          { value: 'request', words: 'Any amount up to what is available' },
          { value: 'everything', words: 'The whole amount that is available' },
          {
            value: 'firm-share-first',
            words: 'Any amount; the share of the firm in the whole profit leaves with each payout',
          },
        ],
      },
      first: {
        kind: 'choice',
        at: 'firstAfterDays',
        label: 'First payout',
        options: [
          {
            value: 14,
            holds: isAbove0,
            words: '{firstAfterDays} after {firstCountsFrom}',
            label: 'is possible',
            rest: ' {firstAfterDays} after {firstCountsFrom}',
          },
          { value: 0, words: 'at once' },
        ],
      },
      firstAfterDays: { kind: 'count', at: 'firstAfterDays', label: 'Days to the first payout', one: 'day', least: 0 },
      firstCountsFrom: {
        kind: 'choice',
        at: 'firstCountsFrom',
        label: 'First payout counts from',
        options: [
          { value: 'stage', words: 'the stage began' },
          { value: 'first-trade', words: 'the first trade' },
        ],
      },
      next: {
        kind: 'choice',
        at: 'everyDays',
        label: 'Later payouts',
        options: [
          { value: 14, holds: isAbove0, words: 'then every {everyDays}' },
          { value: 0, words: 'then at any time' },
        ],
      },
      everyDays: { kind: 'count', at: 'everyDays', label: 'Days between payouts', one: 'day', least: 0 },
    },
  },
  minimum: {
    title: 'Smallest payout',
    text: '{minimum} {minimumOf}',
    blanks: {
      minimum: { kind: 'amount', at: 'minimum', label: 'Smallest payout', of: ['account-size'], scales: false },
      minimumOf: {
        kind: 'choice',
        at: 'minimumOf',
        label: 'Smallest payout of',
        options: [
          { value: 'share', words: 'for the trader' },
          { value: 'profit', words: 'of the profit' },
        ],
      },
    },
  },
  cap: {
    title: 'Largest payout',
    text: '{cap}',
    blanks: {
      cap: {
        kind: 'choice',
        at: 'cap',
        label: 'Largest payout',
        options: [
          { value: null, words: 'No limit' },
          {
            value: { percent: '5', of: 'account-size' },
            holds: isSet,
            words: '{most}{capFor}',
            label: 'At most',
            rest: ' {most}{capFor}',
          },
        ],
      },
      most: { kind: 'amount', at: 'cap', label: 'Largest payout', of: ['account-size'] },
      capFor: {
        kind: 'choice',
        at: 'capFor',
        label: 'Payouts that it limits',
        options: [
          { value: null, words: '', label: 'for all payouts' },
          { value: 3, holds: isSet, words: ', for the first {first}' },
        ],
      },
      first: { kind: 'count', at: 'capFor', label: 'Number of payouts', one: 'payout', least: 0 },
    },
  },
  buffer: {
    title: 'Profit that stays',
    text: '{buffer}',
    blanks: { buffer: { kind: 'amount', at: 'buffer', label: 'Profit that stays', of: ['account-size'] } },
  },
  mostOfProfit: {
    title: 'Part of the profit',
    text: 'At most {mostOfProfit}% with one payout',
    blanks: { mostOfProfit: { kind: 'percent', at: 'mostOfProfit', label: 'Part of the profit in %' } },
  },
  floor: {
    title: 'The floor after a payout',
    text: '{floor}',
    blanks: {
      floor: {
        kind: 'choice',
        at: 'floor',
        label: 'The floor after a payout',
        options: [
          { value: 'stays', words: 'Stays where it is' },
          // A static floor stays, and so does one that has stopped, but under `restarts`.
          { value: 'falls', words: 'One that still follows falls by the payout' },
          { value: 'locks', words: 'One that still follows stops for good at the account size' },
          {
            value: 'restarts',
            words: 'One that follows, or has stopped, starts again from the balance after the payout',
          },
        ],
      },
    },
  },
} as const satisfies Readonly<Record<string, TitledSentence>>

const hours = { kind: 'count', one: 'hour', least: 1, most: 8_760 } as const

/** What a funded stage has beside its rules and payouts. */
export const fundedSentences = {
  promises: {
    title: 'Promises of payouts',
    text: '{promises}',
    blanks: {
      promises: {
        kind: 'choice',
        at: 'promises',
        label: 'Promises of payouts',
        options: [
          { value: undefined, words: '', label: 'Those of the installation, if it has any.' },
          {
            value: { decidedWithinHours: 24, sentWithinHours: 48 },
            holds: (value) => value !== undefined,
            words:
              'A request is decided within {decided}, and paid within {sent} after its approval. A hold stops the clock.',
            label: 'A request is decided within',
            rest: ' {decided}, and paid within {sent} after its approval. A hold stops the clock.',
          },
        ],
      },
      decided: { ...hours, at: 'promises.decidedWithinHours', label: 'Hours to the verdict' },
      sent: { ...hours, at: 'promises.sentWithinHours', label: 'Hours to the payment' },
    },
  },
} as const satisfies Readonly<Record<string, TitledSentence>>

const decided = (at: string, label: string): ChoiceBlank => ({
  kind: 'choice',
  at,
  label,
  options: [
    // Without `passes` they are proposed.
    { value: 'proposed', holds: (value) => value !== 'automatically', words: 'Confirmed by a member of staff' },
    { value: 'automatically', words: 'Decided by the rules alone' },
  ],
})

/** What applies to all stages. */
export const generalSentences = {
  day: {
    title: 'Trading day',
    text: 'From {startsAt} to {startsAt} in the time zone {zone}',
    blanks: {
      startsAt: { kind: 'time', at: 'day.startsAt', label: 'Start of the trading day' },
      zone: { kind: 'zone', at: 'day.zone', label: 'Time zone' },
    },
  },
  breaches: { title: 'Breaches', text: '{breaches}', blanks: { breaches: decided('breaches', 'Breaches') } },
  passes: { title: 'Passing a stage', text: '{passes}', blanks: { passes: decided('passes', 'Passing a stage') } },
  payoutsEnabled: {
    title: 'Payouts',
    text: '{payoutsEnabled}',
    blanks: {
      payoutsEnabled: {
        kind: 'choice',
        at: 'payoutsEnabled',
        label: 'Payouts',
        options: [
          {
            value: 'when-funded',
            holds: (value) => value !== 'by-staff',
            words: 'Enabled with the funded stage',
          },
          { value: 'by-staff', words: 'Enabled by a member of staff in the funded stage' },
        ],
      },
    },
  },
} as const satisfies Readonly<Record<string, TitledSentence>>

/** A part of a sentence: words, or a blank by its name. */
export type SentencePart = string | { readonly name: string }

/** The parts of a text in their order. Figures that are computed have names with `=`. */
export function partsOf(text: string): SentencePart[] {
  return text.split(/(\{[^}]+\})/).flatMap((part): SentencePart[] => {
    if (part === '') return []
    return part.startsWith('{') ? [{ name: part.slice(1, -1) }] : [part]
  })
}

/** The value at a path of a document: 'counts.atLeast'. Undefined where there is none. */
export function valueAt(document: unknown, at: string): unknown {
  return at
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      document,
    )
}

/** The trader's later shares, as a document has them. */
export function splitsIn(value: unknown): { readonly payouts: unknown; readonly split: unknown }[] {
  return Array.isArray(value)
    ? value.map((each: unknown) => ({ payouts: valueAt(each, 'payouts'), split: valueAt(each, 'split') }))
    : []
}

/** The option that a document has chosen; undefined where it has none of them. */
export function optionOf({ at, options }: ChoiceBlank, document: unknown): Option | undefined {
  const value = valueAt(document, at)
  return options.find((option) => (option.holds ? option.holds(value) : isSame(option.value, value)))
}

/** Whether a blank means something for these terms. */
export function isAsked(blank: Blank, terms: unknown): boolean {
  if (blank.kind !== 'choice' || blank.onlyWith === undefined) return true
  return valueAt(terms, blank.onlyWith) !== null || valueAt(terms, blank.at) !== null
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => isSame(Reflect.get(one, name), Reflect.get(other, name)))
  )
}

/** What stands in the list of options, and what follows it in the editor. */
export function optionInEditor({ words, label, rest }: Option): { readonly label: string; readonly rest: string } {
  const start = words.indexOf('{')
  const [before, after] = start === -1 ? [words, ''] : [words.slice(0, start), words.slice(start)]
  return { label: label ?? before.replace(/^[,:;]?\s+/, '').trimEnd(), rest: rest ?? (after && ` ${after}`) }
}
