import { setTimeout as delay } from 'node:timers/promises'
import {
  createPasswordLink,
  newUserId,
  WELCOME_LINK_LIFETIME,
} from '#services/identity/users/server/password-link-tokens.ts'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { createKeyedQueue } from '#services/event-sourcing/keyed-queue.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { orderId, type UserId } from '#services/framework/ids.ts'
import { createUserWithAccount } from '#services/identity/users/server/user-commands.ts'
import { createUser, userStreams } from '#services/identity/users/user.ts'
import type { EnrolmentByOrder, EnrolmentOfOrder } from '../enrolment-api.ts'
import { assertSameContent, assignOrder, orderStreams, receiveOrder } from '../order.ts'
import { enrolmentAnswer, enrolTrader, versionOnOffer } from './enrol-trader.ts'

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
  parts: Pick<TradingParts['commands'], 'repositories' | 'addresses' | 'secrets' | 'react' | 'now'>,
) {
  const { repositories, addresses, secrets, now } = parts
  const orders = repositories.of(orderStreams)
  const users = repositories.of(userStreams)
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

  const enrol = async (body: EnrolmentByOrder, context: Context) => {
    const id = await idOf(body.order)
    const { email, fullName, programme, accepted = null } = body
    const content = secrets.requestDigest(
      JSON.stringify(['enrolment', email.toLowerCase(), fullName, programme, accepted?.hash, accepted?.at]),
    )
    const before = (await orders.load(id)).state.received
    if (before) assertSameContent(before, content)
    const version = before ?? (await versionOnOffer(repositories, programme))
    if (!before && accepted) {
      if (accepted.hash !== version.hash)
        throw new Refused('conflict', 'The accepted terms are not those of this programme', 'accepted.hash')
      if (accepted.at > now() + CLOCK_DIFFERENCE)
        throw new HttpError(400, fieldFailure('accepted.at', 'The terms cannot be accepted in the future'))
    }
    const { programme: of, name, version: number, hash } = version
    const received = await orders.decide(id, context, (order) =>
      receiveOrder(order, { content, programme: of, name, version: number, hash, accepted, newTrader: newUserId() }),
    )
    const order = received.state.received
    if (!order) throw new TypeError('An order that was received is known')
    const cause = { ...context, causationId: received.events[0]?.id ?? context.causationId }
    const buyer = received.state.trader ?? (await buyerOf(body, order.newTrader, cause))
    const { trader } = (await orders.decide(id, cause, (state) => assignOrder(state, buyer))).state
    if (!trader) throw new TypeError('An order that was assigned has a trader')
    if ((await users.load(trader)).state.deleted)
      throw new Refused('conflict', 'The trader of this order was deleted', 'order')
    const { enrolment, position } = await enrolTrader(repositories, trader, { ...order, order: id }, cause)
    const answer: EnrolmentOfOrder = { ...enrolmentAnswer(trader, enrolment), order: body.order }
    return {
      status: received.events.length > 0 ? 201 : 200,
      // The first answer: later stages have opened accounts since.
      body: { ...answer, accounts: answer.accounts.slice(0, 1) },
      position,
    } as const
  }

  return (body: EnrolmentByOrder, context: Context) => queue(sameOrder(body.order), () => enrol(body, context))
}

/** An order that is sent again in other letter case, or in wide characters, is the same. */
function sameOrder(order: string): string {
  return order.normalize('NFKC').toLowerCase().trim()
}
