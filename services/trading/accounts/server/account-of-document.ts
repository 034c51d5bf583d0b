import type { TradingParts } from '#services/trading/parts.ts'
import { accountId, ownerOf } from '#services/framework/ids.ts'
import { type UserDocument, users } from '../user-read-model.ts'
import type { AccountDocument } from '../account-document.ts'
import { accountNotFound } from '#services/trading/stream/account.ts'

/** The user's account with this id, the current one without. @throws {Refused} not-found */
export function accountIn({ accounts, account }: UserDocument, id: string | undefined): AccountDocument {
  const wanted = id === undefined ? account : accounts.find((each) => each.id === id)
  if (!wanted) throw accountNotFound()
  return wanted
}

/** The account with this id, whoever owns it. @throws {Refused} not-found */
export async function accountWith(
  { readModels }: Pick<TradingParts['queries'], 'readModels'>,
  id: string,
): Promise<AccountDocument> {
  const { data: known } = accountId.safeParse(id)
  const user = known && (await readModels.get(users, ownerOf(known)))
  if (!user) throw accountNotFound()
  return accountIn(user, known)
}
