import type { Request, Response } from 'express'
import {
  linkToNext,
  type PayoutList,
  RECENT_USERS,
  routes,
  toDecimal,
  TOTAL_HEADER,
  TOTAL_RELATION_HEADER,
  LINK_HEADER,
  type UserList,
} from '../contract/index.ts'
import { HttpError } from '../http/errors.ts'
import { emptyFirm, FIRM, type FirmDocument, firm, type PayoutDocument, payouts, users } from '../views/index.ts'
import type { DocumentPage } from '../views/reader.ts'
import { adminPayoutAnswer, listedUserAnswer, userDetailsAnswer } from './answers.ts'
import type { QueryParts, Read } from './parts.ts'
import { findPayouts } from './payout-search.ts'
import { countUpTo, exactly, type Total } from './total.ts'

/** What administrators and auditors read (specification §7). */
export function registerAdminReads(read: Read, parts: QueryParts): void {
  const { views, personKeys, gate } = parts
  const figures = async () => (await views.get(firm, FIRM)) ?? emptyFirm

  read(routes.adminAuth, [], async ({ request }) => {
    const admin = await gate.adminOf(request)
    return { body: admin ? { isAdmin: true, role: admin.role, label: admin.label } : { isAdmin: false } }
  })

  read(routes.stats, [firm, users], async () => {
    const { users: counts, payouts: sums } = await figures()
    const { documents } = await views.find(users, { limit: RECENT_USERS })
    return { body: { users: counts, payouts: inDollars(sums), recentUsers: documents.map(listedUserAnswer) } }
  })

  read(routes.users, [firm, users], async ({ query, request, response }) => {
    const where = whereUser(query.status)
    const page = await views.find(users, { ...pageOf(query, userOrders), where })
    const total = query.search
      ? await countUpTo((most) => views.count(users, { where, search: query.search ?? '' }, most))
      : exactly(userCount(await figures(), query.status))
    tellPage(request, response, page, total)
    return { body: page.documents.map(listedUserAnswer) }
  })

  read(routes.user, [users], async ({ params: { id } }) => {
    const user = await views.get(users, id)
    if (!user) throw new HttpError(404, { message: 'User not found' })
    return { body: userDetailsAnswer(user, (await personKeys.get([id])).get(id)) }
  })

  read(routes.payouts, [firm, payouts, users], async ({ query, request, response }) => {
    const { page, total } = await payoutPage(query)
    tellPage(request, response, page, total)
    return { body: await withPersons(page.documents) }
  })

  const payoutPage = async (query: PayoutList): Promise<{ page: DocumentPage<PayoutDocument>; total: Total }> => {
    const asked = pageOf(query, payoutOrders)
    if (query.search) return findPayouts(views, { ...asked, search: query.search }, query.status)
    const page = await views.find(payouts, { ...asked, where: query.status ? { status: query.status } : {} })
    return { page, total: exactly((await figures()).payouts[query.status ?? 'total']) }
  }

  const withPersons = async (documents: readonly PayoutDocument[]) => {
    const owners = [...new Set(documents.map(({ userId }) => userId))]
    const [persons, keys] = await Promise.all([views.getMany(users, owners), personKeys.get(owners)])
    return documents.map((payout) => adminPayoutAnswer(payout, persons.get(payout.userId), keys.get(payout.userId)))
  }
}

function tellPage(request: Request, response: Response, { next }: DocumentPage<unknown>, { count, exact }: Total): void {
  response.setHeader(TOTAL_HEADER, String(count))
  response.setHeader(TOTAL_RELATION_HEADER, exact ? 'exact' : 'at-least')
  if (next !== undefined) response.setHeader(LINK_HEADER, linkToNext(request.originalUrl, next))
}

/** The views' own field for each order that a list can be asked for. */
const userOrders = {
  createdAt: 'createdAt',
  fullName: 'fullName',
  email: 'email',
  balance: 'account.balance',
  profitLoss: 'account.profitLoss',
} as const

const payoutOrders = { createdAt: 'createdAt', amount: 'amount' } as const

type Listed = Pick<UserList | PayoutList, 'search' | 'sort' | 'limit' | 'cursor'>

function pageOf(query: Listed, orders: Readonly<Record<string, string>>) {
  const { search, sort, limit, cursor } = query
  const descending = sort.startsWith('-')
  const by = orders[descending ? sort.slice(1) : sort]
  // Newest first is the order in which documents were made: it has no ties and needs no field.
  const order = sort === '-createdAt' || by === undefined ? {} : { sort: { by, direction: descending ? -1 : 1 } as const }
  return { limit, ...order, ...(search && { search }), ...(cursor && { cursor }) }
}

function whereUser(status: UserList['status']): Record<string, string | boolean> {
  if (status === undefined) return {}
  return status === 'banned' ? { banned: true } : { 'account.status': status }
}

function userCount({ users: counts }: FirmDocument, status: UserList['status']): number {
  return counts[status === undefined ? 'total' : status === 'under-review' ? 'underReview' : status]
}

function inDollars({ total, pending, approved, rejected, pendingAmount, approvedAmount, rejectedAmount }: FirmDocument['payouts']) {
  const counts = { total, pending, approved, rejected }
  const sums = { pendingAmount, approvedAmount, rejectedAmount }
  return {
    ...counts,
    pendingAmount: toDecimal(sums.pendingAmount),
    approvedAmount: toDecimal(sums.approvedAmount),
    rejectedAmount: toDecimal(sums.rejectedAmount),
  }
}
