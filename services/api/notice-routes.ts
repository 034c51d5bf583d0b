import * as notices from '#services/modules/notices/notice-api.ts'
import { answer, get, patch, throttled } from './route.ts'

/** The calls about notices. */
export const noticeRoutes = {
  notices: get('/api/user/notices', 'trader', {
    summary: 'What is new on the own account, and what is not mailed',
    answer: answer('The newest notices', notices.Notices),
  }),
  changeNotices: patch('/api/user/notices', 'trader', {
    summary: 'Choose what is not mailed, or record which notices were seen',
    body: notices.NoticeChanges,
    refuses: throttled,
  }),
}
