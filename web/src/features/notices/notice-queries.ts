import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type NoticeChanges, noticeRoutes } from '#services/modules/notices/notice-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'

/** News on the trader's account, and the choice of mails. */

export const noticesQuery = routeQuery(noticeRoutes.notices, {
  subjects: ['notices', 'users', 'accounts', 'payouts', 'certificates', 'second-factors'],
})

/** Chooses what is not mailed, or records which notices were seen. */
export function useChangeNotices() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NoticeChanges) => send(noticeRoutes.changeNotices, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: noticesQuery.queryKey }),
  })
}
