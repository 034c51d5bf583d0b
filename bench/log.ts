import { randomUUID } from 'node:crypto'
import type { EventStore, EventToAppend } from '../infra/event-store/event-store.ts'
import { type CertificateId, certificateId, type PayoutId, payoutId, type UserId, userId } from '../services/domain/ids.ts'
import { type Cents, noMoney, toCents } from '../services/domain/money.ts'
import type { PayoutStatus } from '../services/domain/payout/payout.ts'
import { encodeEvent } from '../services/event-sourcing/codec/event-codec.ts'
import { eventHash } from '../services/event-sourcing/codec/hash-chain.ts'
import type { Actor, Metadata } from '../services/event-sourcing/codec/metadata.ts'
import type { PersonKeys } from '../services/event-sourcing/crypto-shredding/person-keys.ts'
import { eventRegistry, accounts, type AnyEvent, emailClaims, streamName, users } from '../services/domain/streams.ts'
import { hashed, nameOf } from './names.ts'

/**
 * A made-up firm's log: valid events of every kind, encoded as the repositories does. There is a new trader for every fifty
 * events; all others are about somebody who is there already, anybody as likely as anybody else.
 */
export interface LogWriter {
  /** Appends so many more events. */
  write(events: number): Promise<void>
}

const EVENTS_A_TRADER = 50
/** Appends that share a transaction. */
const GROUP = 200

const admin: Actor = { kind: 'admin', id: '0123456789abcdef0123456789abcdef', label: 'Dana, payouts desk' }

export function openLogWriter(eventStore: EventStore, personKeys: PersonKeys): LogWriter {
  const traders: Trader[] = []
  const chance = chances()
  let written = 0
  let at = Date.UTC(2026, 0, 1)

  const join = async (): Promise<Append[]> => {
    const trader = newTrader(traders.length)
    traders.push(trader)
    const key = await personKeys.getOrCreate(trader.id)
    if (key === 'destroyed') throw new Error('A new trader was erased already')
    return joining(trader).map(([stream, events]) => ({ stream, events, key, actor: { kind: 'trader', id: trader.id } }))
  }

  const next = async (): Promise<Append[]> => {
    if (traders.length * EVENTS_A_TRADER <= written) return join()
    const trader = traders[Math.floor(chance() * traders.length)]
    if (!trader) return join()
    const key = await personKeys.getOrCreate(trader.id)
    if (key === 'destroyed') throw new Error('A trader was erased')
    const { stream, event, actor } = something(trader, chance())
    return [{ stream, events: [event], key, actor }]
  }

  const append = async ({ stream, events, key, actor }: Append): Promise<void> => {
    const encoded: EventToAppend[] = []
    for (const event of events) {
      const requestId = randomUUID()
      const context: Omit<Metadata, 'version'> = { at: ++at, actor, requestId, causationId: requestId, correlationId: requestId, previous: stream.head }
      const stored = encodeEvent(eventRegistry, randomUUID(), event, context, key)
      stream.revision += 1
      stream.head = eventHash(stream.name, stream.revision, stored)
      encoded.push(stored)
    }
    const before = stream.revision - encoded.length
    await eventStore.append(stream.name, before < 0 ? 'none' : before, encoded)
  }

  return {
    async write(events) {
      const end = written + events
      while (written < end) {
        const group: Promise<void>[] = []
        while (group.length < GROUP && written < end) {
          for (const each of await next()) {
            written += each.events.length
            group.push(append(each))
          }
        }
        await Promise.all(group)
      }
    },
  }
}

interface Stream {
  readonly name: string
  revision: number
  head: string | null
}

interface Append {
  readonly stream: Stream
  readonly events: readonly AnyEvent[]
  readonly key: Uint8Array
  readonly actor: Actor
}

interface Payout {
  readonly id: PayoutId
  readonly amount: Cents
  status: PayoutStatus
}

/** What must be known of a trader for the next event to be a valid one. */
interface Trader {
  readonly id: UserId
  readonly number: number
  readonly user: Stream
  readonly account: Stream
  readonly claim: Stream
  balance: Cents
  profitLoss: Cents
  phase: string | null
  limit: string | null
  city: string
  ban: string | null
  certificates: number
  readonly payouts: Payout[]
}

function newTrader(number: number): Trader {
  const id = userId.parse(`trader${String(number).padStart(18, '0')}`)
  const stream = (name: string): Stream => ({ name, revision: -1, head: null })
  return {
    id,
    number,
    user: stream(streamName(users, id)),
    account: stream(streamName(accounts, id)),
    claim: stream(streamName(emailClaims, hashed(number).toString(16).padStart(64, '0') + id)),
    balance: noMoney,
    profitLoss: noMoney,
    phase: null,
    limit: null,
    city: 'Vienna',
    ban: null,
    certificates: 0,
    payouts: [],
  }
}

/** What happens when somebody joins: seven facts in three streams. */
function joining(trader: Trader): [Stream, AnyEvent[]][] {
  const { id, number, user, account, claim } = trader
  const { fullName, email } = nameOf(number)
  const home = { country: 'Austria', city: trader.city, street: 'Long Street', houseNumber: String((number % 200) + 1) }
  const passwordHash = `$argon2id$v=19$m=19456,t=2,p=1$${'x'.repeat(22)}$${'y'.repeat(43)}`
  const emailClaim = claim.name
  trader.balance = toCents(5_000_000)
  return [
    [claim, [{ type: 'EmailClaimed', data: { userId: id } }]],
    [user, [{ type: 'UserRegistered', data: { fullName, email, ...home, passwordHash, privacyPolicyAgreed: true, emailClaim } }]],
    [
      account,
      [
        { type: 'AccountOpened', data: { userId: id } },
        { type: 'BalanceChanged', data: { from: noMoney, to: trader.balance } },
        {
          type: 'PlatformLoginAssigned',
          data: { from: { login: null, server: null }, to: { login: String(10_000_000 + number), server: 'Live-1' }, masterPassword: 's3cret' },
        },
        { type: 'AccountStatusChanged', data: { from: 'pending', to: 'active', reason: null, evidence: null, corrects: null } },
        { type: 'PayoutsEnabled', data: {} },
      ],
    ],
  ]
}

interface Happening {
  readonly stream: Stream
  readonly event: AnyEvent
  readonly actor: Actor
}

/** The next thing that happens to somebody, mostly to their money. @param chance From 0 to 1. */
function something(trader: Trader, chance: number): Happening {
  const { id, user, account } = trader
  const self: Actor = { kind: 'trader', id }
  if (chance < 0.35) return { stream: account, event: changeBalance(trader, chance), actor: admin }
  if (chance < 0.55) return { stream: account, event: changeProfitLoss(trader, chance), actor: admin }
  if (chance < 0.7) return { stream: account, event: askForPayout(trader, chance), actor: self }
  if (chance < 0.85) return { stream: account, event: decidePayout(trader) ?? changeBalance(trader, chance), actor: admin }
  if (chance < 0.89) {
    const from = trader.phase
    trader.phase = `Phase ${trader.account.revision}`
    return { stream: account, event: { type: 'PhaseChanged', data: { from, to: trader.phase } }, actor: admin }
  }
  if (chance < 0.93) {
    const limits = { overallLossLimit: '10% / $5000', profitTarget: '8% / $4000' }
    const from = { dailyDrawdownLimit: trader.limit, ...limits }
    trader.limit = `5% / $${trader.account.revision}`
    return {
      stream: account,
      event: { type: 'RiskLimitsChanged', data: { from, to: { dailyDrawdownLimit: trader.limit, ...limits }, reason: null } },
      actor: admin,
    }
  }
  if (chance < 0.95) {
    const from = trader.city
    trader.city = `${from.slice(0, 6)} ${trader.user.revision}`
    const data = { fields: ['city' as const], from: { city: from }, to: { city: trader.city }, emailClaim: null }
    return { stream: user, event: { type: 'ProfileChanged', data }, actor: self }
  }
  if (chance < 0.98) return { stream: account, event: issueCertificate(trader), actor: admin }
  const from = trader.ban
  trader.ban = from === null ? 'Traded the news' : null
  const event: AnyEvent = from === null ? { type: 'UserBanned', data: { reason: 'Traded the news', from } } : { type: 'UserUnbanned', data: { from } }
  return { stream: user, event, actor: admin }
}

function changeBalance(trader: Trader, chance: number): AnyEvent {
  const from = trader.balance
  trader.balance = toCents(from + 1 + Math.floor(chance * 100_000))
  return { type: 'BalanceChanged', data: { from, to: trader.balance } }
}

function changeProfitLoss(trader: Trader, chance: number): AnyEvent {
  const from = trader.profitLoss
  trader.profitLoss = toCents(from + 1 + Math.floor(chance * 100_000))
  return { type: 'ProfitLossChanged', data: { from, to: trader.profitLoss } }
}

function askForPayout({ id, payouts }: Trader, chance: number): AnyEvent {
  const payout: Payout = { id: payoutId.parse(`${id}-p${payouts.length + 1}`), amount: toCents(1_000 + Math.floor(chance * 100_000)), status: 'pending' }
  payouts.push(payout)
  const idempotency = { key: hashed(payouts.length).toString(16).padStart(64, '0'), digest: 'd'.repeat(64) }
  const details = 'IBAN DE89 3704 0044 0532 0130 00'
  return { type: 'PayoutRequested', data: { payoutId: payout.id, amount: payout.amount, method: 'bank', details, idempotency } }
}

function decidePayout({ payouts }: Trader): AnyEvent | undefined {
  const payout = payouts.findLast(({ status }) => status === 'pending')
  if (!payout) return undefined
  payout.status = payouts.length % 4 === 0 ? 'rejected' : 'approved'
  const data = { payoutId: payout.id, from: 'pending' as const, amount: payout.amount, notes: 'Checked by the payouts desk' }
  return payout.status === 'approved' ? { type: 'PayoutApproved', data } : { type: 'PayoutRejected', data }
}

function issueCertificate(trader: Trader): AnyEvent {
  trader.certificates += 1
  const id: CertificateId = certificateId.parse(`${trader.id}-c${trader.certificates}`)
  const file = { file: `certificates/${id}.pdf`, size: 123_456, sha256: 'f'.repeat(64) }
  return { type: 'CertificateIssued', data: { certificateId: id, name: 'Phase 1 passed', issuedAt: '2026-01-31', ...file } }
}

/** The same chances in every run, from 0 to 1. */
function chances(): () => number {
  let state = 0x2545f491
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
