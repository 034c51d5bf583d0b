import type { Query } from '../../infra/view-store/view-store.ts'
import type { PayoutStatus } from '../contract/index.ts'
import { payoutId } from '../domain/ids.ts'
import { type PayoutDocument, payouts, type UserDocument, users } from '../views/index.ts'
import type { DocumentPage, Views } from '../views/reader.ts'
import { countUpTo, type Total } from './total.ts'

/** Persons found by a search whose payouts are looked up by their ids; beyond that the search is too wide for it. */
const MOST_PERSONS = 500

/**
 * Payouts whose id, or whose user's name, email or broker login, contains a text. No view looks into another, so the
 * two are joined here: the persons are found first, then their payouts. Where very many persons match, the newest
 * of them count. A whole id is looked for as one; so is what leads to no person with a payout.
 */
export async function findPayouts(
  views: Views,
  { search, ...page }: Query & { readonly search: string },
  status: PayoutStatus | undefined,
): Promise<{ page: DocumentPage<PayoutDocument>; total: Total }> {
  const byStatus = status ? { status } : {}
  const persons = isPayoutId(search) ? nobody : await views.find(users, { search, limit: MOST_PERSONS })
  const owners = persons.documents.map(({ id }) => id)
  const lead = owners.length > 0 && (await views.count(payouts, { where: { userId: owners } }, 1)) > 0
  const query = lead ? { where: { ...byStatus, userId: owners } } : { where: byStatus, search }
  const found = await views.find(payouts, { ...page, ...query })
  const total = await countUpTo((most) => views.count(payouts, query, most))
  return { page: found, total: { ...total, exact: total.exact && persons.next === undefined } }
}

const nobody: DocumentPage<UserDocument> = { documents: [], next: undefined }

function isPayoutId(search: string): boolean {
  return payoutId.safeParse(search.toLowerCase()).success
}
