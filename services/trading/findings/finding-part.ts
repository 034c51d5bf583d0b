import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import { listPart } from '#services/framework/shown-state.ts'
import { toDecimal } from '#services/rules/money.ts'
import { AuditFinding } from './finding-api.ts'
import type { Findings } from '#services/trading/stream/finding.ts'
import {
  findingKindLabels,
  findingStateLabels,
  findingStateTones,
} from '#services/trading/stream/finding-vocabulary.ts'

/** The findings about an account at a moment, as people read them. */
export const findingPart = listPart({
  title: 'Findings of the Rules',
  item: 'Finding',
  empty: 'The rules found nothing.',
  schema: AuditFinding.array(),
  fields: {
    kind: { label: 'Kind', kind: 'choice', words: findingKindLabels, place: 'value' },
    rule: { label: 'Rule', kind: 'choice', words: ruleKindLabels, place: 'value', lead: 'by' },
    measured: { label: 'Measured', kind: 'money', unset: 'none', place: 'line', lead: 'Measured' },
    floor: { label: 'Floor or Target', kind: 'money', unset: 'none', place: 'line', lead: 'at the floor or target' },
    state: {
      label: 'State',
      kind: 'status',
      words: findingStateLabels,
      tones: findingStateTones,
      place: 'status',
    },
  },
  onlyInChanges: {
    confirmations: { label: 'Confirmations', kind: 'text', unset: 'none' },
    now: { label: 'What the rules find now', kind: 'text', ofAction: true },
  },
  show: ({ list }: Findings) =>
    list.map(({ id, kind, rule, measured, floor, state }) => ({
      ...{ id, kind, rule: rule.kind, state },
      measured: measured === null ? null : toDecimal(measured),
      floor: floor === null ? null : toDecimal(floor),
    })),
})
