import { z } from 'zod'

/** A user's id: lower-case letters and digits, made at random by the command service. */
export const userId = idLike<'UserId'>(/^[a-z0-9]{8,40}$/)
export type UserId = z.infer<typeof userId>

/** A payout's id names its account, so a decision finds its stream without a read model: '<userId>-p<number>'. */
export const payoutId = idLike<'PayoutId'>(/^[a-z0-9]{8,40}-p[1-9]\d{0,5}$/)
export type PayoutId = z.infer<typeof payoutId>

/** '<userId>-c<number>'. */
export const certificateId = idLike<'CertificateId'>(/^[a-z0-9]{8,40}-c[1-9]\d{0,5}$/)
export type CertificateId = z.infer<typeof certificateId>

/** An admin key's id: derived from the key itself, so that a key finds its own stream. */
export const adminKeyId = idLike<'AdminKeyId'>(/^[a-z0-9]{1,64}$/)
export type AdminKeyId = z.infer<typeof adminKeyId>

/** The owner that a payout's or certificate's id names. */
export function ownerOf(id: PayoutId | CertificateId): UserId {
  return userId.parse(id.slice(0, id.lastIndexOf('-')))
}

function idLike<Name extends string>(pattern: RegExp) {
  return z.string().regex(pattern).brand<Name>()
}
