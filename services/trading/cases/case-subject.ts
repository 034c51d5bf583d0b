import { subject } from '#services/framework/subject.ts'
import { caseDescriptions } from '#services/trading/stream/case-descriptions.ts'
import { caseEvents } from '#services/trading/stream/case.ts'
import { caseRoutes } from './case-api.ts'
import { casePart } from './case-part.ts'

/** Cases: the half that runs anywhere. Their events lie in the stream of the account. */
export const caseSubject = subject({
  title: 'Cases',
  about: 'Objections of traders to decisions about their accounts, and what became of them',
  events: caseEvents,
  descriptions: caseDescriptions,
  shown: { cases: casePart },
  categories: { cases: { label: 'Cases', group: 'trading', staffOnly: false, isDecision: true } },
  routes: caseRoutes,
})
