import type { Query } from '#infra/read-model-store/read-model-store.ts'
import type { AdminPayout, PayoutList } from '../payout-api.ts'
import type { FirmDocument } from '#services/trading/traders/firm-read-model.ts'
import { type PayoutDocument, payouts } from '#services/trading/accounts/payout-read-model.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { approversAmong } from '#services/identity/staff/server/payout-approver.ts'
import type { DocumentPage, ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { staffPayoutResponse } from './payout-responses.ts'
import { pageOf, type PageRequest } from '#services/framework/http/pagination.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import { DEFAULT_ORDER } from '#services/framework/api/pagination-schemas.ts'
import { COUNT_LIMIT, countFound, countUpTo, exactTotal, type Total } from '#services/framework/http/list-total.ts'
import { payoutId } from '#services/framework/ids.ts'

/** Filters and order of the administrators' list of payouts, as queries of the read model. */

/** The filters of the list, without search and pagination. */
export type PayoutFilters = Omit<PayoutList, keyof PageRequest>

/** The queries of the list. */
export function createPayoutList({
  config,
  readModels,
  personKeys,
  now,
}: Pick<PaymentsParts['queries'], 'config' | 'readModels' | 'personKeys' | 'now'>) {
  const { secondApprovalAbove = Infinity } = config

  return {
    /** The payouts that filters and a search ask for. The search is done once, for a page and the number of all. */
    async select({ search, ...filters }: PayoutFilters & Pick<PageRequest, 'search'>) {
      const where = wherePayout(filters, now())
      const found = search ? await searchPayouts(readModels, search, where) : undefined
      return {
        findPage: ({ sort, limit, cursor }: PageRequest): Promise<DocumentPage<PayoutDocument>> =>
          readModels.find(payouts, { ...pageOf({ sort, limit, cursor }, pathOf), where, ...found?.query }),

        /** The number of payouts on all pages: from the firm's figures where possible, else counted. */
        async count({ limit }: Pick<PageRequest, 'limit'>, { payouts: figures }: FirmDocument): Promise<Total> {
          if (found) {
            const total = await countFound(limit, (most) => readModels.count(payouts, found.query, most))
            return { ...total, exact: total.exact && found.isComplete }
          }
          const { status } = filters
          if (Object.keys(where).some((path) => path !== 'status'))
            return countUpTo(COUNT_LIMIT, (most) => readModels.count(payouts, { where }, most))
          return exactTotal(
            status === 'decided' ? figures.approved + figures.rejected + figures.withdrawn : figures[status ?? 'total'],
          )
        },
      }
    },

    /** The newest payouts that filters and a search ask for, and whether these are all. */
    async some(filters: PayoutFilters & Pick<PageRequest, 'search'>, most: number) {
      const { findPage } = await this.select(filters)
      const { documents, next } = await findPage({ sort: DEFAULT_ORDER, limit: most })
      return { documents, isComplete: next === undefined }
    },

    /** Adds the users to payouts, and which approvals they need. */
    async withPersons(documents: readonly PayoutDocument[]): Promise<AdminPayout[]> {
      const owners = [...new Set(documents.map(({ userId }) => userId))]
      const approvedOnce = documents.flatMap((payout) => firstOf(payout)?.member ?? [])
      const [persons, keys, approvers] = await Promise.all([
        readModels.getMany(users, owners),
        personKeys.get(owners),
        approversAmong(readModels, approvedOnce, now(), 'decide-payouts'),
      ])
      return documents.map((payout) => {
        const needsSecondApproval = payout.amount > secondApprovalAbove
        const first = firstOf(payout)
        const hasLapsed = needsSecondApproval && first !== null && !approvers.has(first.member)
        const { firstApproval, firstForfeit } = hasLapsed ? { firstApproval: null, firstForfeit: null } : payout
        const approvals = { needsSecondApproval, firstApproval, firstForfeit }
        return staffPayoutResponse(payout, persons.get(payout.userId), keys.get(payout.userId), approvals)
      })
    },
  }
}

/** The first of two: an approval, or a forfeit. */
function firstOf({ firstApproval, firstForfeit }: PayoutDocument): PayoutDocument['firstApproval'] {
  return firstApproval ?? firstForfeit
}

const DAY_MS = 86_400_000

function wherePayout(
  {
    status,
    userId,
    account,
    payment,
    method,
    batch,
    minAmount,
    maxAmount,
    from,
    to,
    olderThan,
    approvals,
    overdue,
  }: PayoutFilters,
  now: number,
): NonNullable<Query['where']> {
  const newest = Math.min(to ?? Infinity, olderThan === undefined ? Infinity : now - olderThan * DAY_MS)
  const isAmount = minAmount !== undefined || maxAmount !== undefined
  return {
    ...(status !== undefined && { status: status === 'decided' ? ['approved', 'rejected', 'withdrawn'] : status }),
    ...(userId !== undefined && { userId }),
    ...(account !== undefined && { accountId: account }),
    ...(payment !== undefined && { 'payment.state': payment }),
    ...(method !== undefined && { method }),
    ...(batch !== undefined && { 'payment.batch': batch }),
    ...(isAmount && { amount: { from: minAmount ?? 0, to: maxAmount ?? Number.MAX_SAFE_INTEGER } }),
    ...((from !== undefined || newest < Infinity) && {
      requestedAt: { from: from ?? 0, to: Math.min(newest, Number.MAX_SAFE_INTEGER) },
    }),
    ...(overdue !== undefined && { 'promise.overdue': overdue }),
    ...(approvals !== undefined && { 'firstApproval.at': { from: 0, to: Number.MAX_SAFE_INTEGER } }),
  }
}

/** The list is sorted by the names of its answer. */
function pathOf(field: string): string {
  return field === 'createdAt' ? 'requestedAt' : field
}

/** At most this many matching users, and this many payouts that match by id: beyond that the search is too broad. */
const MAX_MATCHES = 500

interface PayoutSearch {
  /** This query finds its payouts. */
  readonly query: Pick<Query, 'where' | 'search'>
  /** False where more match than are looked at: then only the newest count. */
  readonly isComplete: boolean
}

/**
 * A search for payouts by their id, by a payment's reference (which banks tell as its end-to-end id), or by their user's
 * name, email or broker login, as one query. Projections cannot read each other, so it finds the users, whose payouts the
 * query then asks for. A payout's id begins with its user's
 * id, so users whose id contains the text are among them. Only where no user matches by name are the numbers of payouts
 * searched, too.
 */
async function searchPayouts(
  readModels: ReadModels,
  search: string,
  where: NonNullable<Query['where']>,
): Promise<PayoutSearch> {
  const text = search.toLowerCase()
  const byId = { query: { where, search }, isComplete: true }
  // A payment of a batch has its payout's id and the number of the attempt as its reference.
  for (const id of [text, text.replace(/-[1-9]\d*$/, '')])
    if (payoutId.safeParse(id).success) return { query: { where, search: id }, isComplete: true }
  const found = await readModels.find(payouts, { ...byId.query, limit: MAX_MATCHES })
  if (found.documents.some(({ payment }) => payment?.reference?.toLowerCase() === text)) return byId
  const isWanted = (id: string) => where['userId'] === undefined || where['userId'] === id
  const named = await readModels.find(users, { search, limit: MAX_MATCHES })
  const owners = new Set(named.documents.map(({ id }) => id).filter(isWanted))
  if (owners.size === 0) return byId
  for (const { userId } of found.documents) if (userId.includes(text)) owners.add(userId)
  return {
    query: { where: { ...where, userId: [...owners].sort() } },
    isComplete: named.next === undefined && found.next === undefined,
  }
}
