import type { User as UserAnswer } from '../api/index.ts'
import type { UserId } from '../domain/ids.ts'
import type { User } from '../domain/user/user.ts'

/** A user as an answer, field by field: nothing else of the state can slip out. */
export function userResponse(id: UserId, user: User): UserAnswer {
  const { fullName, email, country, city, street, houseNumber, privacyPolicyAgreed, ban, createdAt } = user
  return {
    id,
    fullName,
    email,
    country,
    city,
    street,
    houseNumber,
    privacyPolicyAgreed,
    banned: ban !== null,
    banReason: ban?.reason ?? null,
    createdAt: new Date(createdAt).toISOString(),
  }
}
