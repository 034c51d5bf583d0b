import type { OversightParts } from '#services/oversight/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { activity } from '../activity-read-model.ts'
import { auditSubject } from '../audit-subject.ts'
import { activityQueries } from './activity-queries.ts'
import { createAccountTimelines } from './account-timeline.ts'
import { auditQueries } from './audit-queries.ts'
import { receiptQueries } from './receipt-queries.ts'
import { sealQueries } from './seal-queries.ts'
import { verifyPage } from './verify-page.ts'

export const auditModule: Module<typeof auditSubject, OversightParts> = {
  subject: auditSubject,
  queries: (parts) => {
    const timelines = createAccountTimelines(parts)
    return {
      ...auditQueries(timelines, parts),
      ...activityQueries(parts),
      ...receiptQueries(timelines, parts),
      ...verifyPage(),
      ...sealQueries(parts),
    }
  },
  readModels: [activity],
  erase: null,
}
