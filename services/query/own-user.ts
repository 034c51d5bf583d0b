import { users as userStreams } from '#services/domain/streams.ts'
import { notSignedIn } from '#services/http/http-errors.ts'
import { type UserDocument, users } from '#services/projections/index.ts'
import { notUpToDate, type QueryDependencies } from './query-dependencies.ts'

/**
 * Reads the trader who asks.
 *
 * @throws {HttpError} 401 once they are deleted: the session may outlive its user for a moment. 503 for a user who is not
 * projected yet and must not appear signed out.
 */
export function ownUserReader({ readModels, repositories }: Pick<QueryDependencies, 'readModels' | 'repositories'>) {
  const usersOnRecord = repositories.of(userStreams)
  return async (userId: string): Promise<UserDocument> => {
    const user = await readModels.get(users, userId)
    if (user) return user
    const { state } = await usersOnRecord.load(userId)
    throw state.exists ? notUpToDate() : notSignedIn()
  }
}
