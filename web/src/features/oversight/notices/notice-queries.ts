import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type NoticeChanges, noticeRoutes } from '#services/oversight/notices/notice-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'

/** News on the trader's account, and the choice of mails. */

export const noticesQuery = routeQuery(noticeRoutes.notices, {
  subjects: ['notices', 'users', 'accounts', 'payouts', 'certificates', 'second-factors'],
})

/** Chooses what is not mailed. */
export function useChangeNotices() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NoticeChanges) => send(noticeRoutes.changeNotices, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: noticesQuery.queryKey }),
  })
}

/** Records which notices were seen. */
export function useSeeNotices() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (seenUpTo: number) => send(noticeRoutes.changeNotices, { body: { seenUpTo } }),
    onSuccess: () => client.invalidateQueries({ queryKey: noticesQuery.queryKey }),
    meta: { inBackground: true },
  })
}
