import type { User as UserAnswer } from './user-api.ts'
import type { UserId } from '#services/framework/ids.ts'
import { profileOf } from './user-vocabulary.ts'
import type { User } from './user.ts'

/** Maps a user to an answer field by field, so that no other field can leak. */
export function userResponse(id: UserId, user: User): UserAnswer {
  const { emailConfirmed, privacyPolicyAgreed, ban, createdAt } = user
  return {
    id,
    ...profileOf(user),
    emailConfirmed,
    privacyPolicyAgreed,
    banned: ban !== null,
    banReason: ban?.reason ?? null,
    createdAt: new Date(createdAt).toISOString(),
  }
}
