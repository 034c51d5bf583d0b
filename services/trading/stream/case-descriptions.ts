import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import type { CaseEvent } from './case.ts'
import { caseSubjectLabels } from './case-vocabulary.ts'

const category = 'cases'

export const caseDescriptions = {
  CaseOpened: {
    title: 'Case opened',
    category,
    changes: ({ data: { case: id, subject, text } }) => [
      change(`cases.${id}`, null, { id, subject: caseSubjectLabels[subject.kind], state: 'open', text }),
    ],
    mail: true,
  },
  CaseMessageWritten: {
    title: 'Message in a case',
    category,
    changes: ({ data: { case: id, from, text } }) => [
      change(`cases.${id}.from`, null, from),
      change(`cases.${id}.message`, null, text),
      change(`cases.${id}.state`, null, from === 'staff' ? 'answered' : 'open'),
    ],
    mail: true,
  },
  CaseFileAdded: {
    title: 'File added to a case',
    category,
    changes: ({ data: { case: id, name } }) => [change(`cases.${id}.file`, null, name)],
  },
  CaseDecided: {
    title: 'Case decided',
    category,
    changes: ({ data: { case: id, outcome, text, change: made } }) => [
      change(`cases.${id}.outcome`, null, outcome),
      ...(made ? [change(`cases.${id}.change`, null, changeText(made))] : []),
      change(`cases.${id}.message`, null, text),
      change(`cases.${id}.state`, null, 'decided'),
    ],
    mail: true,
  },
  CaseWithdrawn: {
    title: 'Case withdrawn',
    category,
    changes: ({ data: { case: id } }) => [change(`cases.${id}.state`, null, 'withdrawn')],
  },
  CaseOverdue: {
    title: 'Answer to a case overdue',
    category,
    changes: ({ data: { case: id, due } }) => [change(`cases.${id}.due`, null, new Date(due).toISOString())],
    mail: true,
  },
} as const satisfies EventDescriptions<CaseEvent>

/** "payout approved" */
function changeText(made: Readonly<Record<string, string>>): string {
  return Object.entries(made)
    .map(([what, to]) => `${what} ${to}`)
    .join(', ')
}
