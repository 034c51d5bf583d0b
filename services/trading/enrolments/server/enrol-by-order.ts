import { setTimeout as delay } from 'node:timers/promises'
import {
  createPasswordLink,
  newUserId,
  WELCOME_LINK_LIFETIME,
} from '#services/identity/users/server/password-link-tokens.ts'
import { z } from 'zod'
import { email } from '#services/framework/api/email-address.ts'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { createKeyedQueue } from '#services/event-sourcing/keyed-queue.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { type OrderId, orderId, type UserId } from '#services/framework/ids.ts'
import { createUserWithAccount } from '#services/identity/users/server/user-commands.ts'
import {
  type AcceptedTerms,
  type EnrolledVersion,
  enrolledVersion,
  recordOrderNumber,
} from '#services/identity/users/enrolment.ts'
import { createUser, userStreams } from '#services/identity/users/user.ts'
import type { EnrolmentByOrder, EnrolmentOfOrder, UntakenOrderEnrolment } from '../order-api.ts'
import { sameOrder, type UntakenReason } from '#services/trading/orders/order-vocabulary.ts'
import { assertSameContent, assignOrder, orderStreams, receiveOrder } from '#services/trading/orders/order.ts'
import { enrolmentAnswer, enrolTrader, versionOnOffer } from './enrol-trader.ts'
import { createUntakenOrders } from './untaken-orders.ts'

/** How far ahead of ours the clock of a shop may be, in ms. */
const CLOCK_DIFFERENCE = 5 * 60_000
/** How often, and after how many ms, an email is looked at again that somebody is about to register. */
const EMAIL_ATTEMPTS = 20
const EMAIL_DELAY = 100

/**
 * Enrols the buyers of orders. The order's stream says first which version it is about and which user it creates, then
 * which user it is; every step finds its work done, so a repetition completes what a crash left open.
 */
export function createOrderEnrolment(
  parts: Pick<TradingParts['commands'], 'repositories' | 'addresses' | 'secrets' | 'react' | 'now' | 'throttle'>,
) {
  const { repositories, addresses, secrets, now } = parts
  const orders = repositories.of(orderStreams)
  const users = repositories.of(userStreams)
  const untaken = createUntakenOrders(parts)
  // Within a process, requests of one order do not compete.
  const queue = createKeyedQueue()

  /** The user with this email, who is created where there is none. */
  const buyerOf = async (
    { email, fullName }: Pick<EnrolmentByOrder, 'email' | 'fullName'>,
    newTrader: UserId,
    context: Context,
  ): Promise<UserId> => {
    for (let attempt = 0; attempt < EMAIL_ATTEMPTS; attempt++) {
      const known = await addresses.findUser(email)
      if (known) return known
      try {
        const claim = await addresses.claim(newTrader, email, context)
        const link = createPasswordLink(newTrader, now() + WELCOME_LINK_LIFETIME)
        const address = { country: '', city: '', street: '', houseNumber: '' }
        const creation = { fullName, email, ...address, emailClaim: claim.emailClaim, ...link }
        const decide = (user: Parameters<typeof createUser>[0]) =>
          user.exists || user.deleted ? [] : createUser(user, creation, claim)
        await createUserWithAccount(newTrader, context, decide, parts)
        return newTrader
      } catch (error) {
        if (!(error instanceof Refused) || error.kind !== 'conflict') throw error
        // Somebody has claimed the email and is about to be a user.
        await delay(EMAIL_DELAY)
      }
    }
    throw new HttpError(503, { message: 'Somebody is registering with this email. Please send the order again.' }, 10)
  }

  /** Version 0.2.0 named an order by its exact text: such an order keeps its name. */
  const idOf = async (order: string) => {
    const [id, exact] = [sameOrder(order), order].map((text) => orderId.parse(secrets.orderHash(text)))
    if (!id || !exact) throw new TypeError('An order has a name')
    return exact !== id && (await orders.load(exact)).state.received ? exact : id
  }

  const enrol = async (body: EnrolmentByOrder, context: Context, id: OrderId, content: string) => {
    const { email: address, fullName, programme, accepted = null } = body
    const { data: email } = buyerEmail.safeParse(address)
    if (email === undefined) throw new OrderRefused('refused-email', 'invalid', BAD_EMAIL, 'email')
    const before = (await orders.load(id)).state.received
    if (before) assertSameContent(before, content)
    const version = before ?? (await versionOnOffer(repositories, programme))
    if (!before && accepted) {
      if (accepted.hash !== version.hash)
        throw new Refused('conflict', 'The accepted terms are not those of this programme', 'accepted.hash')
      if (accepted.at > now() + CLOCK_DIFFERENCE)
        throw new HttpError(400, fieldFailure('accepted.at', 'The terms cannot be accepted in the future'))
    }
    const order = { id, content, number: body.order, version, accepted, buyer: { email, fullName } }
    const { trader, enrolment, position, isNew } = await take(order, context)
    const answer: EnrolmentOfOrder = { ...enrolmentAnswer(trader, enrolment), order: body.order }
    return {
      status: isNew ? 201 : 200,
      // The first answer: later stages have opened accounts since.
      body: { ...answer, accounts: answer.accounts.slice(0, 1) },
      position,
    } as const
  }

  /** Receives an order, enrols its buyer and records the shop's number: each once. */
  const take = async ({ id, content, number, version, accepted, buyer: address }: OrderToTake, context: Context) => {
    // Of an order that was received before, it is more than a version.
    const enrolled = z.object(enrolledVersion).parse(version)
    const received = await orders.decide(id, context, (order) =>
      receiveOrder(order, { content, ...enrolled, accepted, newTrader: newUserId() }),
    )
    const order = received.state.received
    if (!order) throw new TypeError('An order that was received is known')
    const cause = { ...context, causationId: received.events[0]?.id ?? context.causationId }
    const buyer = received.state.trader ?? (await buyerOf(address, order.newTrader, cause))
    const { trader } = (await orders.decide(id, cause, (state) => assignOrder(state, buyer))).state
    if (!trader) throw new TypeError('An order that was assigned has a trader')
    if ((await users.load(trader)).state.deleted)
      throw new OrderRefused('trader-deleted', 'conflict', 'The trader of this order was deleted', 'order')
    const { enrolment } = await enrolTrader(repositories, trader, { ...order, order: id }, cause)
    const { position } = await users.decide(trader, cause, (user) =>
      recordOrderNumber(user.enrolments, enrolment.id, number),
    )
    return { trader, enrolment, position, isNew: received.events.length > 0 }
  }

  /** A digest of what an order says. */
  const contentOf = ({ email, fullName, programme, accepted }: EnrolmentByOrder) => {
    const { data: address = email } = buyerEmail.safeParse(email)
    return secrets.requestDigest(
      JSON.stringify(['enrolment', address.toLowerCase(), fullName, programme, accepted?.hash, accepted?.at]),
    )
  }

  const enrolOrNote = async (body: EnrolmentByOrder, context: Context) => {
    const id = await idOf(body.order)
    const content = contentOf(body)
    try {
      const taken = await enrol(body, context, id, content)
      await untaken.taken(id, taken.body.userId, context)
      return taken
    } catch (error) {
      const reason = reasonOf(error)
      if (reason)
        await untaken.refuse(
          {
            ...{ order: id, reason, content, programme: body.programme, orderNumber: body.order },
            ...{ email: body.email, fullName: body.fullName, emailHash: secrets.emailHash(body.email) },
          },
          context,
        )
      throw error
    }
  }

  return {
    /** Enrols the buyer of an order. One that cannot be taken is noted, and refused all the same. */
    byProgram: (body: EnrolmentByOrder, context: Context) =>
      queue(sameOrder(body.order), () => enrolOrNote(body, context)),

    /** Staff enrol the buyer of an order that was not taken. @throws {Refused} not-found, conflict, invalid */
    byStaff: async (id: string, { programme, email: other }: UntakenOrderEnrolment, context: Context) => {
      const before = await untaken.settledBefore(id, context)
      if (before !== undefined) return before
      const { order, reason, content, email, fullName, orderNumber } = await untaken.open(id)
      const version = await versionOnOffer(repositories, programme)
      const { data: address } = buyerEmail.safeParse(other ?? email)
      if (address === undefined) throw new Refused('invalid', BAD_EMAIL, 'email')
      const buyer = { email: address, fullName }
      const isFree = reason !== 'other-content' && reason !== 'trader-deleted'
      if (isFree) {
        const { trader } = await take(
          { id: order, content, number: orderNumber, version, accepted: null, buyer },
          context,
        )
        return untaken.settle(id, { how: 'enrolled', trader, reason: null }, context)
      }
      // The order is another enrolment's: this one has none.
      const trader = await buyerOf(buyer, newUserId(), context)
      const { enrolment } = await enrolTrader(
        repositories,
        trader,
        { ...version, accepted: null, order: null },
        context,
      )
      await users.decide(trader, context, (user) => recordOrderNumber(user.enrolments, enrolment.id, orderNumber))
      return untaken.settle(id, { how: 'enrolled', trader, reason: null }, context)
    },

    dismiss: (id: string, reason: string, context: Context) =>
      untaken.settle(id, { how: 'dismissed', trader: null, reason }, context),
  }
}

interface OrderToTake {
  readonly id: OrderId
  readonly content: string
  /** What the shop calls it. */
  readonly number: string
  readonly version: EnrolledVersion
  readonly accepted: AcceptedTerms | null
  readonly buyer: Pick<EnrolmentByOrder, 'email' | 'fullName'>
}

const BAD_EMAIL = 'Please enter a valid email'
const buyerEmail = email(BAD_EMAIL)

/** An order is refused for a reason that its field does not say. */
class OrderRefused extends Refused {
  constructor(
    readonly why: UntakenReason,
    ...refusal: ConstructorParameters<typeof Refused>
  ) {
    super(...refusal)
  }
}

/** Why an order was not taken; undefined where the program sends it again, as after a failure. */
function reasonOf(error: unknown): UntakenReason | undefined {
  if (error instanceof OrderRefused) return error.why
  if (!(error instanceof Refused)) return undefined
  switch (error.field) {
    case 'programme':
      return error.kind === 'conflict' ? 'retired' : 'unknown-programme'
    case 'accepted.hash':
      return 'other-terms'
    case 'order':
      return 'other-content'
    default:
      return undefined
  }
}
