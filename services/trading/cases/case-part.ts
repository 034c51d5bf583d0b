import { listPart } from '#services/framework/shown-state.ts'
import type { Cases } from '#services/trading/stream/case.ts'
import {
  caseOutcomeLabels,
  caseStateLabels,
  caseStateTones,
  caseSubjectLabels,
} from '#services/trading/stream/case-vocabulary.ts'
import { AuditCase } from './case-api.ts'

/** The cases of an account at a moment, as people read them. */
export const casePart = listPart({
  title: 'Cases',
  item: 'Case',
  empty: 'No decision was objected to.',
  schema: AuditCase.array(),
  fields: {
    subject: { label: 'About', kind: 'text', place: 'value' },
    state: { label: 'State', kind: 'status', words: caseStateLabels, tones: caseStateTones, place: 'status' },
    outcome: { label: 'Outcome', kind: 'choice', words: caseOutcomeLabels, unset: 'none', place: 'line' },
    text: { label: 'Objection', kind: 'text', place: null },
  },
  onlyInChanges: {
    from: { label: 'Written by', kind: 'choice', words: { trader: 'The trader', staff: 'Staff' }, ofAction: true },
    message: { label: 'Text', kind: 'text', ofAction: true },
    file: { label: 'File', kind: 'text', ofAction: true },
    change: { label: 'Changed', kind: 'text', ofAction: true },
    due: { label: 'Answer was due', kind: 'time', ofAction: true },
  },
  show: ({ list }: Cases) =>
    [...list.values()].map(({ id, subject, state, decided, text }) => ({
      ...{ id, subject: caseSubjectLabels[subject.kind], state, text },
      outcome: decided?.outcome ?? null,
    })),
})
