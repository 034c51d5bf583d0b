import type { Query } from '../../infra/read-model-store/read-model-store.ts'
import { payoutId } from '../domain/ids.ts'
import { type PayoutDocument, payouts, users } from '../projections/index.ts'
import type { DocumentPage, ReadModels } from '../event-sourcing/read-models/read-model-reader.ts'
import { mergedPage } from './merged-page.ts'
import { countFound, type Total } from './list-total.ts'

/** At most this many matching users: beyond that the search is too broad. */
const MAX_OWNERS = 500

type PayoutSearch = Query & { readonly search: string }

/**
 * Payouts whose id, or whose user's name, email or broker login, contains a text. Projections cannot read each other, so
 * this joins them: it finds the users, then their payouts, and merges these with the payouts that match by id. If very many
 * users match, only the newest count.
 */
export async function findPayouts(readModels: ReadModels, { search, where = {}, sort, limit, cursor }: PayoutSearch): Promise<DocumentPage<PayoutDocument>> {
  const { owners } = await ownersOf(readModels, search, where)
  const order = sort && { sort }
  const find = (query: Pick<Query, 'where' | 'search'>) => (page: Pick<Query, 'limit' | 'cursor'>) => readModels.find(payouts, { ...query, ...order, ...page })
  const isOwned = ({ userId }: PayoutDocument) => owners.has(userId)
  return mergedPage<PayoutDocument>({
    sources: [
      { find: find({ where: { ...where, userId: [...owners] } }) },
      // The other source already has the payouts of matching users.
      { find: find({ where, search }), exclude: isOwned },
    ],
    isBefore: inOrder(sort),
    limit,
    cursor,
  })
}

/** Counts what {@link findPayouts} finds. */
export async function countFoundPayouts(
  readModels: ReadModels,
  { search, where = {}, limit }: Pick<PayoutSearch, 'where' | 'search' | 'limit'>,
): Promise<Total> {
  const { owners, all } = await ownersOf(readModels, search, where)
  const owned = { where: { ...where, userId: [...owners] } }
  const total = await countFound(limit, async (most) => {
    const [byPerson, byId, byBoth] = await Promise.all([
      readModels.count(payouts, owned, most),
      readModels.count(payouts, { where, search }, most),
      readModels.count(payouts, { ...owned, search }, most),
    ])
    // If both counts reach the bound, so does their sum, however much they share.
    return byPerson >= most || byId >= most ? most : byPerson + byId - byBoth
  })
  return { ...total, exact: total.exact && all }
}

/** The users that match a search, and whether these are all. */
async function ownersOf(readModels: ReadModels, search: string, { userId }: NonNullable<Query['where']>) {
  if (payoutId.safeParse(search.toLowerCase()).success) return { owners: new Set<string>(), all: true }
  const { documents, next } = await readModels.find(users, { search, limit: MAX_OWNERS })
  const ids = documents.map(({ id }) => id)
  return { owners: new Set(userId === undefined ? ids : ids.filter((id) => id === userId)), all: next === undefined }
}

/** Whether a payout precedes another in the requested order; newest first by default. */
function inOrder(sort: Query['sort']) {
  const direction = sort?.direction ?? -1
  const valueOf = ({ amount, status, queue, createdAt }: PayoutDocument) =>
    sort?.by === 'amount' ? amount : sort?.by === 'status' ? status : sort?.by === 'queue' ? queue : createdAt
  return (one: PayoutDocument, other: PayoutDocument): boolean => {
    const [a, b] = [valueOf(one), valueOf(other)]
    return direction === 1 ? a < b : a > b
  }
}
