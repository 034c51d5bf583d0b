import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import { toDecimal, inDollars } from '#services/rules/money.ts'
import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import type { FindingEvent } from './finding-events.ts'

export const findingDescriptions = {
  RuleFindingRaised: {
    title: 'Finding of the rules',
    category: 'findings',
    changes: ({ data: { finding, kind, rule, measured, floor } }) => [
      change(`findings.${finding}`, null, {
        ...{ id: finding, kind, rule: rule.kind, measured: decimal(measured), floor: decimal(floor) },
        state: 'proposed',
      }),
    ],
  },
  BreachFirstConfirmed: {
    title: 'Breach confirmed by the first of two',
    category: 'findings',
    staffOnly: true,
    changes: ({ data }) => [change(`findings.${data.finding}.confirmations`, null, '1 of 2')],
  },
  BreachConfirmed: {
    title: 'Breach confirmed',
    category: 'findings',
    changes: ({ data }) => [change(`findings.${data.finding}.state`, data.from, 'confirmed')],
  },
  PassConfirmed: {
    title: 'Passing of the stage confirmed',
    category: 'findings',
    changes: ({ data }) => [change(`findings.${data.finding}.state`, data.from, 'confirmed')],
  },
  FindingDismissed: {
    title: 'Finding dismissed',
    category: 'findings',
    changes: ({ data }) => [change(`findings.${data.finding}.state`, data.from, 'dismissed')],
    reason: ({ reason }) => reason,
  },
  FindingReopened: {
    title: 'Finding reopened by a correction',
    category: 'findings',
    changes: ({ data: { finding, from, found } }) => [
      ...(from === 'reopened' ? [] : [change(`findings.${finding}.state`, from, 'reopened')]),
      change(`findings.${finding}.now`, null, found ? figuresText(found) : 'nothing'),
    ],
  },
  TimeDecisionMoved: {
    title: 'Next moment at which time alone decides',
    category: 'observations',
    staffOnly: true,
  },
  LimitNeared: {
    title: 'Close to a limit',
    category: 'findings',
    changes: ({ data: { rule, limit, floor, room } }) => [
      change('nearLimit.rule', null, rule.kind),
      ...(limit === null ? [] : [change('nearLimit.limit', null, toDecimal(limit))]),
      change('nearLimit.floor', null, toDecimal(floor)),
      change('nearLimit.room', null, toDecimal(room)),
    ],
    marker: ({ rule }) => `Close to a limit: ${ruleKindLabels[rule.kind] ?? rule.kind}`,
    mail: true,
    notice: 'near-limits',
  },
  HitsNoted: {
    title: 'Trades that hit a rule',
    category: 'findings',
    changes: ({ data: { rule, consequence, found, gone, excluded } }) => [
      change('hits.rule', null, rule.kind),
      ...(found.length === 0 ? [] : [change('hits.consequence', null, consequence)]),
      ...(found.length === 0 ? [] : [change('hits.trades', null, tradesText(found))]),
      ...(gone.length === 0 ? [] : [change('hits.gone', null, tradesText(gone))]),
      ...(excluded.from === excluded.to
        ? []
        : [change('hits.excluded', toDecimal(excluded.from), toDecimal(excluded.to))]),
    ],
    marker: ({ rule, found }) =>
      `${ruleKindLabels[rule.kind] ?? rule.kind}: ${found.length === 0 ? 'hits corrected' : 'hit'}`,
    mail: true,
    notice: 'hits',
  },
} as const satisfies EventDescriptions<FindingEvent>

/** How many trades are named. */
const MOST_NAMED = 20

/** '881, 882', or the first of many: '881, 882 and 7 more'. */
function tradesText(trades: readonly { readonly trade: string }[]): string {
  const more = trades.length - MOST_NAMED
  const named = trades.slice(0, MOST_NAMED).map(({ trade }) => trade)
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function decimal(value: number | null): string | null {
  return value === null ? null : toDecimal(value)
}

type Figures = Extract<FindingEvent, { type: 'RuleFindingRaised' }>['data']

function figuresText({ rule, floor, measured }: Pick<Figures, 'rule' | 'floor' | 'measured'>): string {
  const name = ruleKindLabels[rule.kind] ?? rule.kind
  return floor === null || measured === null ? name : `${name}: ${inDollars(measured)} at ${inDollars(floor)}`
}
