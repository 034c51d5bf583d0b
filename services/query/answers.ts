import { z } from 'zod'
import {
  type AdminPayout,
  type Certificate,
  type ListedUser,
  type OwnAccount,
  type Payout,
  toDecimal,
  type User,
  type UserDetails,
} from '../contract/index.ts'
import { ERASED } from '../domain/event.ts'
import { reveal } from '../journal/codec.ts'
import type { PersonKey } from '../journal/person-keys.ts'
import type { CertificateDocument, PayoutDocument, UserDocument } from '../views/index.ts'

/** Documents of the views as answers, field by field: nothing else can slip out. */

const time = (ms: number) => new Date(ms).toISOString()

export function userAnswer(user: UserDocument): User {
  const { id, fullName, email, country, city, street, houseNumber, privacyPolicyAgreed, banned, banReason, createdAt } = user
  const profile = { fullName, email, country, city, street, houseNumber }
  return { id, ...profile, privacyPolicyAgreed, banned, banReason, createdAt: time(createdAt) }
}

function accountFields({ account }: UserDocument) {
  const { status, phase, login, server, payoutEnabled, dailyDrawdownLimit, overallLossLimit, profitTarget } = account
  const money = { balance: toDecimal(account.balance), profitLoss: toDecimal(account.profitLoss) }
  return { ...money, profitTarget, dailyDrawdownLimit, overallLossLimit, status, phase, login, server, payoutEnabled }
}

export function ownAccountAnswer(user: UserDocument, key: PersonKey | undefined): OwnAccount {
  return { ...accountFields(user), masterPassword: masterPasswordOf(user, key) }
}

export function listedUserAnswer(user: UserDocument): ListedUser {
  return { ...userAnswer(user), tradingAccount: listedAccount(user) }
}

export function userDetailsAnswer(user: UserDocument, key: PersonKey | undefined): UserDetails {
  const account = listedAccount(user)
  return { ...userAnswer(user), tradingAccount: account && { ...account, masterPassword: masterPasswordOf(user, key) } }
}

function listedAccount(user: UserDocument) {
  const { openedAt } = user.account
  // An account has no id of its own: it is its user's.
  return openedAt === null ? null : { id: user.id, userId: user.id, ...accountFields(user), createdAt: time(openedAt) }
}

const assignment = z.object({ masterPassword: z.string().nullable() })

function masterPasswordOf({ account: { masterPassword } }: UserDocument, key: PersonKey | undefined): string | null {
  if (!masterPassword) return null
  return assignment.parse(reveal('PlatformLoginAssigned', masterPassword.eventId, masterPassword.sealed, key)).masterPassword
}

const payoutRequest = z.object({ details: z.string() })

export function payoutAnswer(payout: PayoutDocument, key: PersonKey | undefined): Payout {
  const { id, userId, amount, method, status, adminNotes, createdAt, decidedAt, details } = payout
  return {
    id,
    userId,
    amount: toDecimal(amount),
    paymentMethod: method,
    paymentDetails: payoutRequest.parse(reveal('PayoutRequested', details.eventId, details.sealed, key)).details,
    status,
    adminNotes,
    createdAt: time(createdAt),
    decidedAt: decidedAt === null ? null : time(decidedAt),
  }
}

/** A deleted user's payouts stay, without the person: also where this process still remembers the key for a moment. */
export function adminPayoutAnswer(payout: PayoutDocument, user: UserDocument | undefined, key: PersonKey | undefined): AdminPayout {
  const { fullName, email } = user ?? { fullName: ERASED, email: ERASED }
  return { ...payoutAnswer(payout, user ? key : 'destroyed'), user: { fullName, email } }
}

const certificateIssue = z.object({ name: z.string() })

export function certificateName({ name }: CertificateDocument, key: PersonKey | undefined): string {
  return certificateIssue.parse(reveal('CertificateIssued', name.eventId, name.sealed, key)).name
}

export function certificateAnswer(certificate: CertificateDocument, key: PersonKey | undefined): Certificate {
  const { id, userId, issuedAt, uploadedAt } = certificate
  const name = certificateName(certificate, key)
  return { id, userId, name, fileUrl: `/api/certificates/${id}/file`, issuedAt, uploadedAt: time(uploadedAt) }
}
