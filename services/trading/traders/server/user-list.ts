import type { UserList } from '../trader-api.ts'
import type { Query } from '#infra/read-model-store/read-model-store.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { sameOrder } from '#services/trading/orders/order-vocabulary.ts'
import { isAccountField } from '#services/trading/accounts/account-fields.ts'
import type { FirmDocument } from '../firm-read-model.ts'
import { type UserDocument, users } from '#services/trading/accounts/user-read-model.ts'
import type { DocumentPage, ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { countFound, countUpTo, exactTotal, COUNT_LIMIT, type Total } from '#services/framework/http/list-total.ts'
import { type PageRequest, pageOf } from '#services/framework/http/pagination.ts'

/** Filters and order of the administrators' list of users, as queries of the read model. */

/** The filters of the list, without search and pagination. */
export type UserFilters = Pick<UserList, 'status' | 'banned' | 'payoutEnabled' | 'phase'>

/** A page of the list. What no text has may be the number of an order that 0.2.0 took, and of which it kept a hash. */
export async function findUsers(
  { readModels, secrets }: Pick<TradingParts['queries'], 'readModels' | 'secrets'>,
  query: UserFilters & PageRequest,
): Promise<DocumentPage<UserDocument>> {
  const find = (search: string | undefined) =>
    readModels.find(users, { ...pageOf({ ...query, search }, pathOf), where: whereUser(query) })
  const page = await find(query.search && ownerIn(query.search))
  if (!query.search || page.documents.length > 0 || query.cursor !== undefined) return page
  return find(secrets.orderHash(sameOrder(query.search)))
}

const REFERENCE = /^([a-z0-9]{8,40})-[ae]\d+(?:-[a-z]\d+(?:-\d+)?)?$/

/** Ids of accounts, payouts and certificates, and references of payments, begin with their trader's: that is searched. */
function ownerIn(search: string): string {
  return REFERENCE.exec(search.trim())?.[1] ?? search
}

function pathOf(field: string): string {
  return isAccountField(field) ? `account.${field}` : field
}

/** The number of users on all pages: from the firm's figures where possible, else counted. */
export async function countUsers(
  readModels: ReadModels,
  query: UserFilters & Pick<PageRequest, 'search' | 'limit'>,
  figures: FirmDocument,
): Promise<Total> {
  const { status, banned, payoutEnabled, phase, search, limit } = query
  const isUnfiltered = banned === undefined && payoutEnabled === undefined && phase === undefined
  if (search === undefined && isUnfiltered) {
    if (status === undefined) return exactTotal(figures.users.total)
    if (status === 'banned') return exactTotal(figures.users.banned)
  }
  const where = whereUser(query)
  if (search) {
    const text = ownerIn(search)
    return countFound(limit, (most) => readModels.count(users, { where, search: text }, most))
  }
  return countUpTo(COUNT_LIMIT, (most) => readModels.count(users, { where }, most))
}

function whereUser({ status, banned, payoutEnabled, phase }: UserFilters): NonNullable<Query['where']> {
  // Both banned and not banned: no user matches.
  const wantedBanned = status === 'banned' ? (banned === false ? [] : true) : banned
  return {
    ...(status !== undefined && status !== 'banned' && { 'account.status': status }),
    ...(wantedBanned !== undefined && { banned: wantedBanned }),
    ...(payoutEnabled !== undefined && { 'account.payoutEnabled': payoutEnabled }),
    ...(phase !== undefined && { 'account.phase': phase }),
  }
}
