import { z } from 'zod'

/** A user's id: lower-case letters and digits, made at random by the command service. */
export const userId = z
  .string()
  .regex(/^[a-z0-9]{8,40}$/)
  .brand<'UserId'>()
export type UserId = z.infer<typeof userId>

/** A payout's id names its account, so a decision finds its stream without a read model: '<userId>-p<number>'. */
export const payoutId = z
  .string()
  .regex(/^[a-z0-9]{8,40}-p[1-9]\d{0,5}$/)
  .brand<'PayoutId'>()
export type PayoutId = z.infer<typeof payoutId>

/** '<userId>-c<number>'. */
export const certificateId = z
  .string()
  .regex(/^[a-z0-9]{8,40}-c[1-9]\d{0,5}$/)
  .brand<'CertificateId'>()
export type CertificateId = z.infer<typeof certificateId>

/** An admin key's id: derived from the key itself, so that a key finds its own stream. */
export const adminKeyId = z
  .string()
  .regex(/^[a-z0-9]{1,64}$/)
  .brand<'AdminKeyId'>()
export type AdminKeyId = z.infer<typeof adminKeyId>

/** The owner that a payout's or certificate's id names. */
export function ownerOf(id: PayoutId | CertificateId): UserId {
  return userId.parse(id.slice(0, id.lastIndexOf('-')))
}
