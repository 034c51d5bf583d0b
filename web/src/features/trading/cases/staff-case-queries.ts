import type { z } from 'zod'
import { caseRoutes, type CaseVerdict } from '#services/trading/cases/case-api.ts'
import { caseOutcomeLabels } from '#services/trading/stream/case-vocabulary.ts'
import { sendAndParse } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** Cases as staff read, answer and decide them. */

export interface CaseFilter {
  readonly state?: 'open' | 'answered' | 'decided' | 'withdrawn'
  readonly overdue?: 'true'
}

export const casesQuery = (query: CaseFilter) => routeQuery(caseRoutes.cases, { query, subjects: ['cases'] })
export const caseQuery = (id: string) => routeQuery(caseRoutes.case, { params: { id }, subjects: ['cases'] })

export const answerCase = staffChange({
  send: ({ id, text }: { readonly id: string; readonly text: string }) =>
    sendAndParse(caseRoutes.writeInCase, { params: { id }, body: { text } }),
  done: ({ id }) => ['Answer sent', `The trader reads it in case ${id}.`],
  failed: () => 'The answer was not sent',
})

export const decideCase = staffChange({
  send: ({ id, ...body }: z.input<typeof CaseVerdict> & { readonly id: string }) =>
    sendAndParse(caseRoutes.decideCase, { params: { id }, body }),
  done: ({ id, outcome }) => [`Case ${id} decided`, `${caseOutcomeLabels[outcome]}. The trader is told by mail.`],
  failed: () => 'The case was not decided',
})
