import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type NoticeChanges, Notices } from '#services/modules/notices/notice-api.ts'
import { send } from '@/api/api.ts'
import { readQuery } from '@/query-client.ts'

/** News on the trader's account, and the choice of mails. */

export const noticesQuery = readQuery(['notices'], '/api/user/notices', Notices, {
  subjects: ['notices', 'users', 'accounts', 'payouts', 'certificates', 'second-factors'],
})

/** Chooses what is not mailed, or records which notices were seen. */
export function useChangeNotices() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (changes: NoticeChanges) => send('PATCH', '/api/user/notices', changes),
    onSuccess: () => client.invalidateQueries({ queryKey: noticesQuery.queryKey }),
  })
}
