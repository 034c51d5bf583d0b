import { Map as ImmutableMap } from 'immutable'
import { z } from 'zod'
import { type AuditState, toDecimal } from '../api/index.ts'
import { type Account, type AccountEvent, accountDecider } from '../domain/account/account.ts'
import type { AppendedEvent } from '../event-sourcing/event-definitions.ts'
import type { UserId } from '../domain/ids.ts'
import { type User, type UserEvent, userDecider } from '../domain/user/user.ts'
import { type RecordedEvent, decryptPersonalFields } from '../event-sourcing/codec/event-codec.ts'
import type { PersonKey } from '../event-sourcing/crypto-shredding/person-keys.ts'
import { accounts, users } from '../domain/streams.ts'

/** What is true of a person after some of their facts: folded by the same `evolve` that decides. */
export interface TimelineState {
  readonly user: User
  readonly account: Account
  /** The facts that hold what decisions need not know and readers want: details of payouts, names of certificates. */
  readonly personalTexts: ImmutableMap<string, PersonalText>
}

interface PersonalText {
  readonly type: string
  readonly eventId: string
  readonly ciphertext: string | null
  readonly at: number
}

/** What wordings say, decrypted once for all moments that show them. It goes with the folds that the wordings are of. */
const decryptedTexts = new WeakMap<PersonalText, Record<string, unknown>>()

function decryptText(wording: PersonalText, key: PersonKey | undefined): Record<string, unknown> {
  const known = key === 'destroyed' ? undefined : decryptedTexts.get(wording)
  const words = known ?? decryptPersonalFields(wording.type, wording.eventId, wording.ciphertext, key)
  if (key !== 'destroyed') decryptedTexts.set(wording, words)
  return words
}

export const emptyTimelineState: TimelineState = { user: userDecider.initial, account: accountDecider.initial, personalTexts: ImmutableMap() }

/** Folds one more fact of the person's or the account's stream. @throws {Error} for a fact that belongs in neither. */
export function applyEvent(folded: TimelineState, fact: RecordedEvent): TimelineState {
  if (isOfUser(fact)) return { ...folded, user: userDecider.evolve(folded.user, fact) }
  if (!isOfAccount(fact)) throw new Error(`${fact.type} at ${fact.stream}#${fact.revision} belongs to no person`)
  const { personalTexts } = folded
  return { user: folded.user, account: accountDecider.evolve(folded.account, fact), personalTexts: withPersonalText(personalTexts, fact) }
}

function withPersonalText(wordings: TimelineState['personalTexts'], fact: RecordedEvent): TimelineState['personalTexts'] {
  const { type, id: eventId, ciphertext, at } = fact
  if (fact.type === 'PayoutRequested') return wordings.set(fact.data.payoutId, { type, eventId, ciphertext: ciphertext, at })
  if (fact.type === 'CertificateIssued') return wordings.set(fact.data.certificateId, { type, eventId, ciphertext: ciphertext, at })
  return wordings
}

const isOfUser = (fact: RecordedEvent): fact is RecordedEvent & AppendedEvent<UserEvent> => Object.hasOwn(users.definitions, fact.type)
const isOfAccount = (fact: RecordedEvent): fact is RecordedEvent & AppendedEvent<AccountEvent> => Object.hasOwn(accounts.definitions, fact.type)

const payoutTexts = z.object({ details: z.string() })
const certificateTexts = z.object({ name: z.string() })

const time = (ms: number) => new Date(ms).toISOString()

/** What was true after a fact, in the words of the contract. */
export function auditStateOf(
  { user: person, account: trading, personalTexts }: TimelineState,
  of: { readonly userId: UserId; readonly key: PersonKey | undefined; readonly last: { readonly number: number; readonly at: number } },
): AuditState {
  const { userId, key, last } = of
  const wordsOf = (id: string) => {
    const wording = personalTexts.get(id)
    return wording ? decryptText(wording, key) : {}
  }
  return {
    at: time(last.at),
    number: last.number,
    user: userOf(userId, person),
    account: accountOf(trading),
    payouts: [...trading.payouts.values()].map(({ id, amount, method, status, notes, requestedAt, decidedAt }) => ({
      id,
      amount: toDecimal(amount),
      paymentMethod: method,
      paymentDetails: payoutTexts.parse(wordsOf(id)).details,
      status,
      adminNotes: notes || null,
      createdAt: time(requestedAt),
      decidedAt: decidedAt === null ? null : time(decidedAt),
    })),
    certificates: [...trading.certificates.values()].map(({ id, issuedAt }) => ({
      id,
      name: certificateTexts.parse(wordsOf(id)).name,
      issuedAt,
      uploadedAt: time(personalTexts.get(id)?.at ?? 0),
    })),
  }
}

function userOf(id: UserId, person: User): AuditState['user'] {
  const { fullName, email, country, city, street, houseNumber, privacyPolicyAgreed, ban, createdAt, deleted } = person
  if (!person.exists && !deleted) return null
  const profile = { fullName, email, country, city, street, houseNumber }
  return { id, ...profile, privacyPolicyAgreed, banned: ban !== null, banReason: ban?.reason ?? null, createdAt: time(createdAt), deleted }
}

function accountOf(trading: Account): AuditState['account'] {
  const { status, phase, login, server, masterPassword, payoutsEnabled, dailyDrawdownLimit, overallLossLimit, profitTarget } = trading
  const money = { balance: toDecimal(trading.balance), profitLoss: toDecimal(trading.profitLoss) }
  const limits = { profitTarget, dailyDrawdownLimit, overallLossLimit }
  return { ...money, ...limits, status, phase, login, server, payoutEnabled: payoutsEnabled, masterPassword }
}
