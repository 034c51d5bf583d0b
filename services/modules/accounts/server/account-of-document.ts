import type { UserDocument } from '#services/modules/users/user-read-model.ts'
import type { AccountDocument } from '../account-document.ts'
import { accountNotFound } from '../account.ts'

/** The user's account with this id, the current one without. @throws {Refused} not-found */
export function accountIn({ accounts, account }: UserDocument, id: string | undefined): AccountDocument {
  const wanted = id === undefined ? account : accounts.find((each) => each.id === id)
  if (!wanted) throw accountNotFound()
  return wanted
}
