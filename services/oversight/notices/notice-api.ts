import { component, described, namedObject } from '#services/framework/api/openapi-component.ts'
import { Money } from '#services/framework/api/money.ts'
import { answer, get, patch, throttled } from '#services/framework/api/route.ts'
import { INVALID, namedRequest } from '#services/framework/api/text.ts'
import { noticeKinds } from '#services/framework/notice-vocabulary.ts'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { z } from 'zod'

/** News on a trader's account, and the choice of mails. */

export const NoticeKind = component('NoticeKind', z.enum(noticeKinds, { error: INVALID }))

/** An entry of the history that others made. */
export const Notice = namedObject('Notice', {
  ...AuditEvent.shape,
  /** The amount of the payout that was decided; null for anything else. */
  amount: Money.nullable(),
})
export type Notice = z.infer<typeof Notice>

/** GET /api/user/notices */
export const Notices = namedObject('Notices', {
  /** Kinds that are not mailed. */
  muted: z.array(NoticeKind),
  /** The number of the newest event whose notice was seen; 0 for none. */
  seenUpTo: z.int().nonnegative(),
  /** The latest actions of others on the account, newest first. */
  entries: z.array(Notice),
})

/** PATCH /api/user/notices: an absent field is unchanged. */
export const NoticeChanges = namedRequest('NoticeChanges', {
  muted: described(
    'Kinds that are not mailed',
    z.array(NoticeKind, { error: INVALID }).max(noticeKinds.length, INVALID).optional(),
  ),
  seenUpTo: described(
    'The number of the newest event whose notice was seen',
    z.int({ error: INVALID }).positive(INVALID).optional(),
  ),
})
export type NoticeChanges = z.infer<typeof NoticeChanges>

/** The calls about notices. */
export const noticeRoutes = {
  notices: get('/api/user/notices', 'trader', {
    summary: 'What is new on the own account, and what is not mailed',
    answer: answer('The newest notices', Notices),
  }),
  changeNotices: patch('/api/user/notices', 'trader', {
    summary: 'Choose what is not mailed, or record which notices were seen',
    body: NoticeChanges,
    refuses: throttled,
  }),
}
