import type { Query } from '../../infra/view-store/view-store.ts'
import type { PayoutStatus } from '../contract/index.ts'
import { type PayoutDocument, payouts, users } from '../views/index.ts'
import type { DocumentPage, Views } from '../views/reader.ts'
import { countUpTo, type Total } from './total.ts'

/** Persons found by a search whose payouts are looked up by their ids; beyond that the search is too wide for it. */
const MOST_PERSONS = 500

/**
 * Payouts whose id, or whose user's name, email or broker login, contains a text. No view looks into another, so the
 * two are joined here: the persons are found first, then their payouts. Where very many persons match, the newest
 * of them count.
 */
export async function findPayouts(
  views: Views,
  { search, ...page }: Query & { readonly search: string },
  status: PayoutStatus | undefined,
): Promise<{ page: DocumentPage<PayoutDocument>; total: Total }> {
  const persons = await views.find(users, { search, limit: MOST_PERSONS })
  const byStatus = status ? { status } : {}
  // A payout's id begins with its user's: what looks like an id is looked for as one, everything else as a person.
  const query =
    persons.documents.length > 0
      ? { where: { ...byStatus, userId: persons.documents.map(({ id }) => id) } }
      : { where: byStatus, search }
  const found = await views.find(payouts, { ...page, ...query })
  const total = await countUpTo((most) => views.count(payouts, query, most))
  return { page: found, total: { ...total, exact: total.exact && persons.next === undefined } }
}
