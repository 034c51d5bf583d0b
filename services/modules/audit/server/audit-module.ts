import type { Module } from '#services/modules/module.ts'
import { auditSubject } from '../audit-subject.ts'
import { createAccountTimelines } from './account-timeline.ts'
import { auditQueries } from './audit-queries.ts'
import { receiptQueries } from './receipt-queries.ts'
import { verifyPage } from './verify-page.ts'

export const auditModule: Module<typeof auditSubject> = {
  subject: auditSubject,
  commands: () => ({}),
  queries: (parts) => {
    const timelines = createAccountTimelines(parts)
    return { ...auditQueries(timelines, parts), ...receiptQueries(timelines, parts), ...verifyPage() }
  },
  readModels: [],
  mails: {},
  policies: {},
  erase: null,
}
