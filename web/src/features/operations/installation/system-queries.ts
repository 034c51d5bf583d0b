import { type System, systemRoutes } from '#services/operations/installation/installation-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** Refresh interval in ms: short while something is in progress, long otherwise. */
const FAST_INTERVAL = 2_000
const SLOW_INTERVAL = 15_000

/** The state of the portal. */
export const systemQuery = routeQuery(
  systemRoutes.system,
  { subjects: ['installation'] },
  {
    staleTime: FAST_INTERVAL,
    refetchInterval: ({ state: { data } }) => (data && isInProgress(data) ? FAST_INTERVAL : SLOW_INTERVAL),
  },
)

/** Whether the state will change soon without an operator. */
export function isInProgress({ readers, setAside, mail, parts }: System): boolean {
  const isMoving = readers.some(({ caughtUp, rebuild }) => !caughtUp || rebuild !== null)
  return isMoving || mail.waiting > 0 || setAside.some(({ retrying }) => retrying) || parts.some(({ ready }) => !ready)
}

/** Retries a dead letter. */
export const retryDeadLetter = staffChange({
  send: (id: string) => send(systemRoutes.retryEvent, { params: { id } }),
  done: () => ['Retrying', 'Events that can now be processed are applied; the others stay in the list.'],
  failed: () => 'Retry failed',
})
