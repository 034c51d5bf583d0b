import type { TradingParts } from '#services/trading/parts.ts'
import { notSignedIn } from '#services/framework/http/http-errors.ts'
import { notUpToDate } from '#services/framework/http/position-header.ts'
import { type UserDocument, users } from '../user-read-model.ts'
import { userStreams } from '#services/identity/users/user.ts'

/**
 * The user of a trader's session, with the account.
 *
 * @throws {HttpError} 401 when the session has outlived its user; 503 for a user who is not projected yet.
 */
export async function ownUser(
  { readModels, repositories }: Pick<TradingParts['queries'], 'readModels' | 'repositories'>,
  userId: string,
): Promise<UserDocument> {
  const user = await readModels.get(users, userId)
  if (user) return user
  // A user who is not projected yet must not appear signed out.
  const { state } = await repositories.of(userStreams).load(userId)
  throw state.exists ? notUpToDate() : notSignedIn()
}
