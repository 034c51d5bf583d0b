import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { BASED_ON_HEADER } from '../../../../../services/api/headers.ts'
import type { AdminPayout, PayoutListStatus } from '../../../../../services/api/payout-schemas.ts'
import { addressWith, getPage, send } from '../../../api/api.ts'
import { FRESH } from '../../../query-client.ts'
import { toast } from '../../../toast.ts'
import { toastRefusal } from '../failures.ts'
import { type PageSize, ROWS } from '../lists/address.ts'
import { refresh } from '../refresh.ts'

/** Payout requests for administrators (specification §7). */

/** Filters and order of a payout list. */
export interface PayoutFilters {
  readonly search?: string | undefined
  readonly status?: PayoutListStatus | undefined
  /** Only those of this user. */
  readonly userId?: string | undefined
  readonly sort?: string | undefined
}

export interface PayoutPage extends PayoutFilters {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** What the address of the payouts' page says. */
interface PayoutAddress extends Omit<PayoutFilters, 'userId'> {
  readonly of?: string | undefined
  readonly size?: PageSize | undefined
  readonly cursor?: string | undefined
}

/** The page of payouts that an address names. */
export function payoutPageOf({ search, of, size = ROWS, ...rest }: PayoutAddress): PayoutPage {
  return { ...rest, search: search?.trim(), userId: of, limit: Number(size) }
}

const payouts = () => import('../../../../../services/api/payout-schemas.ts').then(({ AdminPayout }) => AdminPayout.array())

/** A page of payouts; the previous page stays visible while it loads. */
export const payoutsQuery = (page: PayoutPage, staleTime: number = FRESH.admin) =>
  queryOptions({
    queryKey: ['admin', 'payouts', page],
    queryFn: ({ signal }) => getPage<AdminPayout>('/api/admin/payouts', payouts, { query: { ...page }, signal }),
    placeholderData: keepPreviousData,
    staleTime,
    meta: { session: 'admin' },
  })

/** The pending payouts of /admin, the oldest first. */
export const pendingPayoutsQuery = (search: string | undefined, cursor: string | undefined) =>
  payoutsQuery({ search: search?.trim(), limit: Number(ROWS), status: 'pending', sort: 'createdAt', cursor }, FRESH.adminTabs)

/** The approved and rejected payouts of /admin. */
export const decidedPayoutsQuery = (search: string | undefined, cursor: string | undefined) =>
  payoutsQuery({ search: search?.trim(), limit: Number(ROWS), status: 'decided', cursor }, FRESH.adminTabs)

/** The address of the whole filtered list as a file. */
export function payoutsCsv({ search, status, userId, sort }: PayoutFilters): string {
  return addressWith('/api/admin/payouts.csv', { search, status, userId, sort })
}

export type Verdict = 'approved' | 'rejected'

const verdictMessages = {
  approved: { done: 'Payout approved successfully', failed: 'Failed to approve payout' },
  rejected: { done: 'Payout rejected successfully', failed: 'Failed to reject payout' },
} as const

interface PayoutDecision {
  readonly id: string
  readonly status: Verdict
  readonly adminNotes: string
  /** When the verdict shown to the administrator was given. */
  readonly decidedAt: string | null
}

/** Decides a payout as shown. The server refuses when another administrator was faster, and says who; the lists then show the present state. */
export function useDecidePayout() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, decidedAt, ...verdict }: PayoutDecision) =>
      send('PATCH', `/api/admin/payouts/${encodeURIComponent(id)}`, verdict, { headers: { [BASED_ON_HEADER]: decidedAt ?? 'undecided' } }),
    onSuccess: (_, { status }) => toast(verdictMessages[status].done),
    onError: (error, { status }) => toastRefusal(verdictMessages[status].failed, error),
    onSettled: () => refresh(client, 'payouts', 'stats'),
    meta: { session: 'admin' },
  })
}
