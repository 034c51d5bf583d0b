import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { System } from '../../../../../services/api/system-schemas.ts'
import { get, send } from '../../../api/api.ts'
import { toast } from '../../../toast.ts'
import { toastRefusal } from '../failures.ts'

/** Refresh interval in ms: short while something is in progress, long otherwise. */
const FAST_INTERVAL = 2_000
const SLOW_INTERVAL = 15_000

/** The state of the portal. */
export const systemQuery = queryOptions({
  queryKey: ['admin', 'system'],
  queryFn: ({ signal }): Promise<System> =>
    get('/api/admin/system', () => import('../../../../../services/api/system-schemas.ts').then(({ System }) => System), { signal }),
  staleTime: FAST_INTERVAL,
  refetchInterval: ({ state: { data } }) => (data && isInProgress(data) ? FAST_INTERVAL : SLOW_INTERVAL),
  meta: { session: 'admin' },
})

/** Whether the state will change soon without an operator. */
export function isInProgress({ readers, setAside, mail, parts }: System): boolean {
  const isMoving = readers.some(({ caughtUp, rebuild }) => !caughtUp || rebuild !== null)
  return isMoving || mail.waiting > 0 || setAside.some(({ retrying }) => retrying) || parts.some(({ ready }) => !ready)
}

/** Retries a dead letter. */
export function useRetry() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => send('POST', `/api/admin/system/poison/${encodeURIComponent(id)}/retry`),
    onSuccess: () => toast('Retrying', 'Events that can now be processed are applied; the others stay in the list.'),
    onError: (error) => toastRefusal('Retry failed', error),
    onSettled: () => client.invalidateQueries({ queryKey: systemQuery.queryKey }),
    meta: { session: 'admin' },
  })
}
