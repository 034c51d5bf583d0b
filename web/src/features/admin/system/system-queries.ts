import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { System } from '../../../../../services/api/system-schemas.ts'
import { get, send } from '../../../api/api.ts'
import { toast } from '../../../toast.ts'
import { toastRefusal } from '../failures.ts'

/** How often it is read again, in ms: often while something goes on, now and then to notice that something has begun. */
const FAST_INTERVAL = 2_000
const SLOW_INTERVAL = 15_000

/** How the portal itself is. */
export const systemQuery = queryOptions({
  queryKey: ['admin', 'system'],
  queryFn: ({ signal }): Promise<System> =>
    get('/api/admin/system', () => import('../../../../../services/api/system-schemas.ts').then(({ System }) => System), { signal }),
  staleTime: FAST_INTERVAL,
  refetchInterval: ({ state: { data } }) => (data && isInProgress(data) ? FAST_INTERVAL : SLOW_INTERVAL),
  meta: { session: 'admin' },
})

/** Whether something will soon be otherwise by itself. */
export function isInProgress({ readers, setAside, mail, parts }: System): boolean {
  const isMoving = readers.some(({ caughtUp, rebuild }) => !caughtUp || rebuild !== null)
  return isMoving || mail.waiting > 0 || setAside.some(({ retrying }) => retrying) || parts.some(({ ready }) => !ready)
}

/** Asks for an event that was set aside to be tried again. */
export function useRetry() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => send('POST', `/api/admin/system/poison/${encodeURIComponent(id)}/retry`),
    onSuccess: () => toast('It is being tried again', 'What could use it now takes it in; the rest stays set aside.'),
    onError: (error) => toastRefusal('It could not be tried again', error),
    onSettled: () => client.invalidateQueries({ queryKey: systemQuery.queryKey }),
    meta: { session: 'admin' },
  })
}
