import { Refused } from '#services/event-sourcing/refusal.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { payoutAnswer } from '#services/trading/stream/payout-fields.ts'
import { type AccountState, accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { adminKeyStreams } from '#services/identity/staff/access-key.ts'
import {
  type payoutRoutes,
  BasedOnHeader,
  type DestinationRequest,
  type NamedEvidence,
  type PaymentChange,
  type Payout as PayoutAnswer,
} from '../payout-api.ts'
import { BASED_ON_HEADER, IDEMPOTENCY_HEADER } from '#services/framework/api/headers.ts'
import { IdempotencyKey } from '#services/framework/api/idempotency-key.ts'
import { actor } from '#services/framework/api/actor.ts'
import { type AccountId, accountOf, adminKeyId, ownerOf, type PayoutId, payoutId } from '#services/framework/ids.ts'
import { destinationOfAttempt, type Whereabouts, whereTo } from '#services/trading/stream/payout-destination.ts'
import {
  approvePayout,
  changeDestination,
  earlierRequest,
  holdPayout,
  isNewDestination,
  isStillDecidedAt,
  movePayoutPayment,
  type Payout,
  type PayoutEvent,
  rejectPayout,
  requestPayout,
  undecided,
  withdrawPayout,
} from '#services/trading/stream/payout.ts'
import { payoutTotals } from '../payout-totals.ts'
import { PayoutNotAvailable } from '#services/trading/stream/available-payout.ts'
import type { PayoutRefusal } from '#services/trading/accounts/available-payout-api.ts'
import { availableResponse } from '#services/trading/accounts/available-payout-response.ts'
import { type User, userStreams } from '#services/identity/users/user.ts'
import { accountOfUser } from '#services/trading/accounts/server/account-of-user.ts'
import { HttpError, parsed } from '#services/framework/http/http-errors.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { toDecimal } from '#services/rules/money.ts'
import { checkedDestination } from './checked-destination.ts'
import { promiseFrom } from '#services/trading/stream/payout-promise.ts'
import type { PaymentMove } from '#services/trading/stream/payment.ts'
import { loadPayouts } from './load-payouts.ts'
import { correctedMeanwhile, evidenceEntries, evidenceVersion } from './rejection-evidence.ts'
import { assertSeenPayout } from './seen-payout.ts'
import { assertIndependent, mayStillApprove } from '#services/identity/staff/server/approver-independence.ts'

/** Payout requests and the verdicts on them (specification §4, §6, §7). */
export function payoutCommands(parts: PaymentsParts['commands']) {
  const { repositories, secrets, stepUp, throttle, now, reportForgedRow } = parts
  const accounts = repositories.of(accountStreams)
  const adminKeys = repositories.of(adminKeyStreams)
  const { stepUpAbove, secondApprovalAbove = null, secondConfirmation, requireConfirmedEmail } = parts.config

  const { payoutDecisionHours = null, payoutSendingHours = null } = parts.config
  const promised = { decidedWithinHours: payoutDecisionHours, sentWithinHours: payoutSendingHours }

  const batchesNeedTwo = secondConfirmation.includes('batches')

  /** That payouts are disabled is said first (specification §6). */
  const assertEmailConfirmed = async ({ emailConfirmed }: User, id: AccountId): Promise<void> => {
    if (!emailConfirmed && (await accounts.load(id)).state.account.payoutsEnabled)
      throw new HttpError(403, {
        message:
          'Please confirm your email address first: open the link that we mailed you. Settings can send it again.',
      })
  }

  /** Who gave the last verdict on a payout, and when. */
  const lastVerdictOn = async (id: PayoutId): Promise<string> => {
    let last = 'This payout was decided meanwhile.'
    for await (const { type, data, at, metadata } of accounts.readEvents(accountOf(id))) {
      if (
        (type !== 'PayoutApproved' &&
          type !== 'PayoutRejected' &&
          type !== 'PayoutFirstApproved' &&
          type !== 'PayoutFirstForfeited' &&
          type !== 'PayoutWithdrawn') ||
        data.payoutId !== id
      )
        continue
      const by = actor.parse(metadata.actor)
      const [day, time = ''] = new Date(at).toISOString().split('T')
      const who =
        by.kind === 'admin' || by.kind === 'program' ? by.label : by.kind === 'trader' ? 'The trader' : 'The system'
      last = `${who} ${words[type]} this payout on ${day} at ${time.slice(0, 5)} UTC.`
    }
    return last
  }

  const existingPayout = async (id: PayoutId): Promise<Payout> => {
    const payout = (await accounts.load(accountOf(id))).state.payouts.list.get(id)
    if (!payout) throw payoutNotFound()
    return payout
  }

  /** Gives a payout another destination. The one that it has already is no change. */
  const redirected = async (
    id: PayoutId,
    given: DestinationRequest,
    context: Context,
    decide: (account: AccountState, to: Whereabouts) => PayoutEvent[],
    check = async (_to: Whereabouts) => {},
  ) => {
    const { method } = await existingPayout(id)
    const to = { details: '', destination: checkedDestination(method, given) }
    await check(to)
    const { state, events, position } = await accounts.decide(accountOf(id), context, (account) => {
      const decided = decide(account, to)
      const present = account.payouts.list.get(id)
      return present && whereTo(present) === whereTo(to) ? [] : decided
    })
    const destination = state.payouts.list.get(id)?.destination ?? null
    return { isChanged: events.length > 0, reply: { body: { destination }, position } }
  }

  /** What a rejection names, with its entries, as the account is now. */
  const evidenceOf = async (account: AccountId, named: readonly NamedEvidence[]) => {
    const { state } = await accounts.load(account)
    const items = await evidenceEntries(account, accounts.readEvents(account), named)
    return { items, version: evidenceVersion(state, items) }
  }

  return {
    requestPayout: async ({ caller, query, body, context, request }) => {
      const { userId } = caller
      const { paymentMethod: method, paymentDetails: details, ...fields } = body
      const destination = body.destination ? checkedDestination(method, body.destination) : null
      const header = parsed(IdempotencyKey.optional(), request.get(IDEMPOTENCY_HEADER))
      const key = header === undefined ? null : secrets.requestDigest(header)
      const { state: user } = await repositories.of(userStreams).load(userId)
      const id = await accountOfUser(repositories, userId, query.account, {
        user,
        isMeant: ({ payouts }) => key !== null && payouts.idempotencyKeys.has(key),
      })
      if (requireConfirmedEmail === 'payouts') await assertEmailConfirmed(user, id)
      const digest = secrets.requestDigest(JSON.stringify([id, body.amount, method, details, destination]))
      const idempotency = key === null ? null : { key, digest }
      await stepUp.assertConfirmed({ caller, request }, async () =>
        isNewDestination((await accounts.load(id)).state.payouts, { method, details, destination }),
      )
      const wanted = { ...fields, method, details, destination, idempotency }
      const tried = await throttle.attempt(['payoutPerson', userId])
      const { state, events, position } = await withAvailable(() =>
        accounts.decide(id, context, (account) =>
          requestPayout(account, wanted, now(), user.accessChangedAt, promised),
        ),
      )
      const [made] = events
      // A repeated request asks for nothing new.
      if (!made) await tried.refund()
      const requested =
        made?.type === 'PayoutRequested' ? made.data.payoutId : earlierRequest(state.payouts, idempotency)
      const payout = requested && state.payouts.list.get(requested)
      if (!payout) throw new Error(`The payout that ${userId} requested is not on record`)
      // A repeated request gets the first answer, also after a verdict.
      const first = destinationOfAttempt(payout, 0)
      const promise = promiseFrom(payout.promise?.hours, payout.requestedAt)
      const answer: PayoutAnswer = {
        userId,
        accountId: id,
        ...payoutAnswer({ ...payout, ...first, ...undecided, promise }),
      }
      return { status: 201, body: answer, position }
    },

    withdrawPayout: async ({ caller: { userId }, params, context }) => {
      const { id } = params
      if (ownerOf(accountOf(id)) !== userId) throw payoutNotFound()
      const { position } = await accounts.decide(accountOf(id), context, (state) => withdrawPayout(state, id))
      return { body: { status: 'withdrawn' }, position }
    },

    giveDestination: async ({ caller, params, body, context, request }) => {
      const { id } = params
      const { userId } = caller
      if (ownerOf(accountOf(id)) !== userId) throw payoutNotFound()
      const { state: user } = await repositories.of(userStreams).load(userId)
      if (requireConfirmedEmail === 'payouts') await assertEmailConfirmed(user, accountOf(id))
      await stepUp.assertConfirmed({ caller, request })
      const tried = await throttle.attempt(['payoutPerson', userId])
      const given = await redirected(id, body.destination, context, (account, to) =>
        changeDestination(account, id, to, 'trader', now(), user.accessChangedAt),
      )
      if (!given.isChanged) await tried.refund()
      return given.reply
    },

    changeDestination: async ({ caller, params, body, context, request }) => {
      const { id } = params
      await stepUp.assertConfirmed({ caller, request })
      if (body.seen) await assertSeenPayout(repositories, id, body.seen, reportForgedRow)
      const member = adminKeyId.parse(caller.id)
      const first = (await existingPayout(id)).proposal
      const hasLapsed = first !== null && !(await mayStillApprove(adminKeys, first.member, now(), 'decide-payouts'))
      const by = {
        ...{ reason: body.reason, member, needsTwo: batchesNeedTwo },
        lapsed: hasLapsed ? first.member : null,
      }
      const given = await redirected(
        id,
        body.destination,
        context,
        (account, to) => {
          const events = changeDestination(account, id, to, by, now())
          // Only the member who was loaded is known to be another person.
          const present = account.payouts.list.get(id)?.proposal?.member
          if (batchesNeedTwo && present !== first?.member) throw new Refused('conflict', PROPOSED_MEANWHILE)
          return events
        },
        async (to) => {
          if (!batchesNeedTwo || !first || hasLapsed || first.member === member || whereTo(first.to) !== whereTo(to))
            return
          const { requestedAt } = await existingPayout(id)
          await assertIndependent(adminKeys, first.member, member, { began: requestedAt, now: now() })
        },
      )
      return given.reply
    },

    changePayment: async ({ params, body, context }) => {
      const { id } = params
      if (body.state === 'sent' && batchesNeedTwo) throw needsBatch('sent')
      if (body.seen) await assertSeenPayout(repositories, id, body.seen, reportForgedRow)
      const { state, position } = await accounts.decide(accountOf(id), context, (account) =>
        changePayment(account, id, body, batchesNeedTwo, now()),
      )
      const payout = state.payouts.list.get(id)
      if (!payout) throw payoutNotFound()
      const { payment, hold } = payoutAnswer(payout)
      return { body: { payment, hold }, position }
    },

    payoutTotals: async ({ body }) => {
      const { data: ids } = payoutId.array().safeParse(body.payouts)
      if (!ids) throw payoutNotFound()
      const payouts = await loadPayouts(accounts, ids)
      if (payouts.size < ids.length) throw payoutNotFound()
      const { count, amount, traderReceives, euro } = payoutTotals([...payouts.values()], body.rate)
      return {
        body: {
          count,
          amount: toDecimal(amount),
          traderReceives: toDecimal(traderReceives),
          euro: euro === null ? null : toDecimal(euro),
        },
      }
    },

    decidePayout: async ({ caller, params, body, context, request }) => {
      const { id } = params
      const dependsOnAmount = stepUpAbove !== undefined || secondApprovalAbove !== null
      const payout = dependsOnAmount ? (await accounts.load(accountOf(id))).state.payouts.list.get(id) : undefined
      const { amount = 0, requestedAt = 0 } = payout ?? {}
      const { status, adminNotes, code, money, deduct = false } = body
      const isForfeit = money === 'forfeited'
      const firstOf = (one: Payout | undefined) => (isForfeit ? one?.firstForfeit : one?.firstApproval) ?? null
      const first = firstOf(payout)
      if (stepUpAbove !== undefined && amount > stepUpAbove) await stepUp.assertConfirmed({ caller, request })
      if (body.seen) await assertSeenPayout(repositories, id, body.seen, reportForgedRow)
      const seen = parsed(BasedOnHeader.optional(), request.get(BASED_ON_HEADER))
      /** When the verdict that the administrator saw was given, ms since 1970; null for none. */
      const basedOn = seen === 'undecided' ? null : seen === undefined ? undefined : Date.parse(seen)
      try {
        const hasLapsed =
          secondApprovalAbove !== null &&
          first !== null &&
          !(await mayStillApprove(adminKeys, first.member, now(), 'decide-payouts'))
        const lapsed = hasLapsed ? first.member : null
        const approver = { member: adminKeyId.parse(caller.id), secondApprovalAbove, lapsed }
        const isOfTwo = status === 'approved' || isForfeit
        const needsTwo = isOfTwo && secondApprovalAbove !== null && amount > secondApprovalAbove
        if (needsTwo && first && !hasLapsed && first.member !== approver.member)
          await assertIndependent(adminKeys, first.member, approver.member, { began: requestedAt, now: now() })
        const named = body.evidence && (await evidenceOf(accountOf(id), body.evidence))
        const decide = (account: AccountState) => {
          const events =
            status === 'approved'
              ? approvePayout(account, id, { notes: adminNotes, approver, deduct, now: now() })
              : rejectPayout(account, id, adminNotes, { code, money, evidence: named?.items }, approver, now())
          if (basedOn !== undefined && !isStillDecidedAt(account.payouts, id, basedOn, lapsed))
            throw new DecidedMeanwhile()
          // Only the first of two that was loaded is known to be independent.
          const present = firstOf(account.payouts.list.get(id))
          if (needsTwo && present && present.member !== first?.member) throw new DecidedMeanwhile()
          if (named && evidenceVersion(account, named.items) !== named.version) throw correctedMeanwhile()
          return events
        }
        const { state, position } = await withAvailable(() => accounts.decide(accountOf(id), context, decide))
        return { body: { status: state.payouts.list.get(id)?.status ?? status }, position }
      } catch (error) {
        if (error instanceof DecidedMeanwhile)
          throw new HttpError(409, { message: `${await lastVerdictOn(id)} Look at it again before you decide.` })
        throw error
      }
    },
  } satisfies Partial<Commands<typeof payoutRoutes>>
}

const words = {
  PayoutFirstApproved: 'gave the first approval of',
  PayoutFirstForfeited: 'was the first to forfeit',
  PayoutApproved: 'approved',
  PayoutRejected: 'rejected',
  PayoutWithdrawn: 'withdrew',
} as const

/** Staff record a step of a payment, or its hold. `batchesNeedTwo` leaves what is not in a batch yet to one. */
function changePayment(
  account: AccountState,
  id: PayoutId,
  { state, reference, reason, hold }: PaymentChange,
  batchesNeedTwo: boolean,
  now: number,
) {
  if (hold !== undefined) return holdPayout(account, id, hold)
  const payment = account.payouts.list.get(id)?.payment
  if (state === 'paid' && payment?.state === 'open' && batchesNeedTwo) throw needsBatch('paid')
  const move = (): PaymentMove => {
    switch (state) {
      case 'paid':
        return payment?.state === 'open' ? { kind: 'pay-by-hand', reference: reference ?? '' } : { kind: 'confirm' }
      case 'failed':
        return { kind: 'fail', reason }
      case 'returned':
        return { kind: 'return', reason }
      default:
        return { kind: 'send-by-hand' }
    }
  }
  return movePayoutPayment(account, id, move(), now)
}

function needsBatch(state: 'sent' | 'paid'): Refused {
  return new Refused('conflict', `A payment is ${state} by the release of its batch, by a second member of staff.`)
}

const PROPOSED_MEANWHILE = 'Another member of staff gave a destination at the same moment. Look at it again.'

function payoutNotFound(): HttpError {
  return new HttpError(404, { message: 'Payout request not found' })
}

/** A refusal by the terms says what is available. */
async function withAvailable<Result>(decide: () => Promise<Result>): Promise<Result> {
  try {
    return await decide()
  } catch (error) {
    if (!(error instanceof PayoutNotAvailable)) throw error
    const refusal: PayoutRefusal = { message: error.message, payout: availableResponse(error.payout) }
    throw new HttpError(409, refusal)
  }
}

/** Another verdict was given since the state that this one was based on. A refusal, so that it is decided again on the newest state. */
class DecidedMeanwhile extends Refused {
  constructor() {
    super('conflict', 'This payout was decided meanwhile.')
  }
}
