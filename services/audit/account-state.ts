import { Map as ImmutableMap } from 'immutable'
import { z } from 'zod'
import { type AuditState, toDecimal } from '../api/index.ts'
import { type Account, type AccountEvent, account } from '../domain/account/account.ts'
import type { Fact } from '../event-sourcing/event-definitions.ts'
import type { UserId } from '../domain/ids.ts'
import { type User, type UserEvent, user } from '../domain/user/user.ts'
import { type Recorded, reveal } from '../event-sourcing/codec/event-codec.ts'
import type { PersonKey } from '../event-sourcing/crypto-shredding/person-keys.ts'
import { accounts, users } from '../domain/streams.ts'

/** What is true of a person after some of their facts: folded by the same `evolve` that decides. */
export interface Folded {
  readonly user: User
  readonly account: Account
  /** The facts that hold what decisions need not know and readers want: details of payouts, names of certificates. */
  readonly wordings: ImmutableMap<string, Wording>
}

interface Wording {
  readonly type: string
  readonly eventId: string
  readonly sealed: string | null
  readonly at: number
}

/** What wordings say, decrypted once for all moments that show them. It goes with the folds that the wordings are of. */
const revealed = new WeakMap<Wording, Record<string, unknown>>()

function wordsIn(wording: Wording, key: PersonKey | undefined): Record<string, unknown> {
  const known = key === 'destroyed' ? undefined : revealed.get(wording)
  const words = known ?? reveal(wording.type, wording.eventId, wording.sealed, key)
  if (key !== 'destroyed') revealed.set(wording, words)
  return words
}

export const nothing: Folded = { user: user.initial, account: account.initial, wordings: ImmutableMap() }

/** Folds one more fact of the person's or the account's stream. @throws {Error} for a fact that belongs in neither. */
export function foldOne(folded: Folded, fact: Recorded): Folded {
  if (isOfUser(fact)) return { ...folded, user: user.evolve(folded.user, fact) }
  if (!isOfAccount(fact)) throw new Error(`${fact.type} at ${fact.stream}#${fact.revision} belongs to no person`)
  const { wordings } = folded
  return { user: folded.user, account: account.evolve(folded.account, fact), wordings: worded(wordings, fact) }
}

function worded(wordings: Folded['wordings'], fact: Recorded): Folded['wordings'] {
  const { type, id: eventId, sealed, at } = fact
  if (fact.type === 'PayoutRequested') return wordings.set(fact.data.payoutId, { type, eventId, sealed, at })
  if (fact.type === 'CertificateIssued') return wordings.set(fact.data.certificateId, { type, eventId, sealed, at })
  return wordings
}

const isOfUser = (fact: Recorded): fact is Recorded & Fact<UserEvent> => Object.hasOwn(users.definitions, fact.type)
const isOfAccount = (fact: Recorded): fact is Recorded & Fact<AccountEvent> => Object.hasOwn(accounts.definitions, fact.type)

const payoutWords = z.object({ details: z.string() })
const certificateWords = z.object({ name: z.string() })

const time = (ms: number) => new Date(ms).toISOString()

/** What was true after a fact, in the words of the contract. */
export function stateOf(
  { user: person, account: trading, wordings }: Folded,
  of: { readonly userId: UserId; readonly key: PersonKey | undefined; readonly last: { readonly number: number; readonly at: number } },
): AuditState {
  const { userId, key, last } = of
  const wordsOf = (id: string) => {
    const wording = wordings.get(id)
    return wording ? wordsIn(wording, key) : {}
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
      paymentDetails: payoutWords.parse(wordsOf(id)).details,
      status,
      adminNotes: notes || null,
      createdAt: time(requestedAt),
      decidedAt: decidedAt === null ? null : time(decidedAt),
    })),
    certificates: [...trading.certificates.values()].map(({ id, issuedAt }) => ({
      id,
      name: certificateWords.parse(wordsOf(id)).name,
      issuedAt,
      uploadedAt: time(wordings.get(id)?.at ?? 0),
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
