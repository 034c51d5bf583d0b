import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import { subject } from '#services/framework/subject.ts'
import { findingRoutes } from './finding-api.ts'
import { findingDescriptions } from '#services/trading/stream/finding-descriptions.ts'
import { findingEvents } from '#services/trading/stream/finding-events.ts'
import { notedConsequenceLabels } from '#services/trading/stream/finding-vocabulary.ts'
import { findingPart } from './finding-part.ts'

/** Findings: the half that runs anywhere. Their events lie in the stream of the account. */
export const findingSubject = subject({
  title: 'Findings',
  about: 'Breaches and passed stages that the rules of programmes find, and what was decided about them',
  events: findingEvents,
  descriptions: findingDescriptions,
  shown: {
    findings: findingPart,
    nearLimit: {
      fields: {
        rule: { label: 'Limit on', kind: 'choice', words: ruleKindLabels, ofAction: true },
        limit: { label: 'Limit', kind: 'money', ofAction: true },
        floor: { label: 'Floor', kind: 'money', ofAction: true },
        room: { label: 'Room left', kind: 'money', ofAction: true },
      },
    },
    hits: {
      fields: {
        rule: { label: 'Rule', kind: 'choice', words: ruleKindLabels, ofAction: true },
        consequence: { label: 'What happens', kind: 'choice', words: notedConsequenceLabels, ofAction: true },
        trades: { label: 'Trades that hit it', kind: 'text', ofAction: true },
        gone: { label: 'Trades that hit it no more', kind: 'text', ofAction: true },
        excluded: { label: 'Profit that does not count', kind: 'money' },
      },
    },
  },
  categories: { findings: { label: 'Findings of the rules', group: 'trading', staffOnly: false, isDecision: true } },
  routes: findingRoutes,
})
