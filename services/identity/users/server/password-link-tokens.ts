import { randomBytes } from 'node:crypto'
import { type UserId, userId } from '#services/framework/ids.ts'
import type { PasswordLink } from '../user.ts'
import { hashToken, type Secrets } from '#services/process/keys/derived-secrets.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { newId, randomId } from '#services/identity/authentication/random-id.ts'

const HOUR = 60 * 60_000

/** How long mailed links are valid, in ms: a reset one hour; a welcome a week, because the user may be on holiday. */
export const RESET_LINK_LIFETIME = HOUR
export const WELCOME_LINK_LIFETIME = 7 * 24 * HOUR

/** How long the address before a change of email can take it back, in ms: over a weekend. */
export const EMAIL_REVERT_LIFETIME = 72 * HOUR

/** A new user's id; of a request that takes effect once, always the same. */
export function newUserId(context?: Context): UserId {
  return userId.parse(context ? newId(context, 'user') : randomId())
}

/** A link's token: '<user id>.<256 random bits>'; the id locates its stream. Only a hash is stored. */
export function createPasswordLink(owner: UserId, expiresAt: number): PasswordLink {
  const token = `${owner}.${randomBytes(32).toString('base64url')}`
  return { token, tokenHash: hashToken(token), expiresAt }
}

/**
 * The token of the link that confirms an address: it is good for as long as the user has the address, and another link
 * to it is the same. Only who reads the address's mails knows it, and it shows nothing but that.
 */
export function emailToken({ tokenMac }: Pick<Secrets, 'tokenMac'>, owner: string, emailClaim: string): string {
  return `${owner}.${tokenMac(JSON.stringify(['confirm email', owner, emailClaim]))}`
}

/** The user of a token; undefined for malformed tokens. */
export function userIdOfToken(token: string): UserId | undefined {
  return userId.safeParse(token.slice(0, token.indexOf('.'))).data
}
