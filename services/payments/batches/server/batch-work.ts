import { createHash } from 'node:crypto'
import { comparePositions, type Position } from '#infra/event-store/event-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type AccountState, accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { accountOf, type BatchId, batchId, type PayoutId, payoutId } from '#services/framework/ids.ts'
import { movePayoutPayment, type Payout } from '#services/trading/stream/payout.ts'
import { forEachAccount, loadPayouts } from '#services/payments/payouts/server/load-payouts.ts'
import type { BatchProblem } from '../batch-api.ts'
import {
  type Batch,
  type BatchItem,
  batchStreams,
  beginRelease,
  cancelBatch,
  endRelease,
  type FileHashes,
  makeBatch,
  type NewBatch,
  type Release,
  removeItem,
} from '../batch.ts'
import { paymentFile } from '../files/payment-file.ts'
import { peopleFile } from '../files/people-file.ts'
import type { PaymentOrder } from '../files/payment-order.ts'
import { type BatchTerms, isCancelled, plannedItem, standingOf, unfitItems, whereSent, whyGone } from './batch-plan.ts'

/**
 * Moves the payments of a batch in the streams of accounts. Every step may find its work done: the command does it at
 * once, and the worker's policies finish what a crash left open.
 */
export function createBatchWork(repositories: Repositories, now: () => number = Date.now) {
  const batches = repositories.of(batchStreams)
  const accounts = repositories.of(accountStreams)

  /** Moves the payments of all items; what is refused leaves the batch. @returns the position reached. */
  const moveAll = async (id: BatchId, items: readonly BatchItem[], context: Context, move: Move) => {
    const problems: { payoutId: PayoutId; reason: string }[] = []
    let position: Position | undefined
    await forEachAccount(items, async (item) => {
      try {
        const moved = await accounts.decide(accountOf(item.payoutId), context, (state) => move(state, item))
        if (!position || comparePositions(moved.position, position) > 0) position = moved.position
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        problems.push({ payoutId: item.payoutId, reason: error.message })
        await batches.decide(id, context, (batch) => removeItem(batch, item.reference, error.message))
      }
    })
    return { problems, position }
  }

  const payoutsOf = (items: readonly BatchItem[]) =>
    loadPayouts(
      accounts,
      items.map(({ payoutId: id }) => id),
    )

  /** The item of each payout, in the order of the request. @throws {UnfitPayouts} naming all that do not fit. */
  const plan = async (texts: readonly string[], terms: Omit<BatchTerms, 'method'>): Promise<BatchItem[]> => {
    const problems = new Map<string, string>()
    const states = new Map<PayoutId, AccountState>()
    const ids = texts.flatMap((text) => {
      const { data } = payoutId.safeParse(text)
      if (!data) problems.set(text, 'Payout request not found')
      return data ?? []
    })
    const each = ids.map((id) => ({ payoutId: id }))
    await forEachAccount(each, async ({ payoutId: id }) => {
      states.set(id, (await accounts.load(accountOf(id))).state)
    })
    const payoutOf = (id: PayoutId) => states.get(id)?.payouts.list.get(id)
    const method = ids.flatMap((id) => payoutOf(id)?.method ?? [])[0]
    const items = ids.flatMap((id) => {
      const state = states.get(id)
      try {
        return state ? plannedItem(state, id, { ...terms, method }) : []
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        problems.set(id, error.message)
        return []
      }
    })
    if (problems.size > 0)
      throw new UnfitPayouts(
        'Some payouts do not fit into this batch',
        texts.flatMap((id) => {
          const reason = problems.get(id)
          return reason === undefined ? [] : [{ payoutId: id, reason }]
        }),
      )
    return items
  }

  const work = {
    payoutsOf,

    /**
     * Makes a batch of payouts, and puts their payments into it.
     *
     * @throws {UnfitPayouts} when some do not fit, or another batch was faster: then there is no batch.
     */
    async make(id: BatchId, payouts: readonly string[], made: Omit<NewBatch, 'items'>, context: Context) {
      const items = await plan(payouts, { id, format: made.format, rate: made.rate })
      const { state } = await batches.decide(id, context, (batch) => makeBatch(batch, { ...made, items }))
      const { problems, position } = await work.enter(id, context)
      if (problems.length === 0) return { state, position }
      await work.cancel(id, context)
      throw new UnfitPayouts('Some payouts do not fit into this batch', problems)
    },

    /** @throws {UnfitPayouts} when payments have left the batch: the member who releases it has to see that first. */
    async release(id: BatchId, release: Release, context: Context) {
      const gone = await work.takeOutGone(id, context)
      if (gone.length > 0)
        throw new UnfitPayouts('Payments have left this batch. Look at it again before you release it.', gone)
      const { state } = await batches.load(id)
      const unfit = state.state === 'open' ? unfitItems(state, await payoutsOf(state.items)) : []
      if (unfit.length > 0) throw new UnfitPayouts(UNFIT_NOW, unfit)
      await batches.decide(id, context, (batch) => beginRelease(batch, release))
      return work.finishRelease(id, context)
    },

    async cancel(id: BatchId, context: Context) {
      const { state, position } = await batches.decide(id, context, cancelBatch)
      const left = await work.leave(id, context)
      return { state, position: left.position ?? position }
    },

    /** Puts the payments of an open batch into it. @returns those that could not be, and the position reached. */
    async enter(id: BatchId, context: Context) {
      const { state, position } = await batches.load(id)
      if (state.state !== 'open') return { problems: [], position }
      return moveAll(id, state.items, context, (account, item) => {
        const { payoutId, reference } = item
        const payout = account.payouts.list.get(payoutId)
        if (standingOf(payout, item, id) !== 'gone') return []
        if (payout && isCancelled(payout)) throw new Refused('conflict', whyGone(payout))
        const events = movePayoutPayment(account, payoutId, { kind: 'enter-batch', batch: id })
        if (events.some(({ type, data }) => type === 'PaymentBatched' && data.reference !== reference))
          throw new Refused('conflict', 'It was in another batch meanwhile')
        return events
      })
    },

    /** Lets the payments of a cancelled batch go. */
    async leave(id: BatchId, context: Context) {
      return moveAll(id, (await batches.load(id)).state.items, context, leaveBatch(id))
    },

    /**
     * Lets a payment go that came into a batch which had given it up meanwhile: it was taken out or cancelled while
     * another process was still filling it.
     */
    async leaveIfUnwanted(id: BatchId, item: Pick<BatchItem, 'payoutId' | 'reference'>, context: Context) {
      const { state, items } = (await batches.load(id)).state
      // A batch is made before payments enter it: one that is not there gave up nothing.
      if (state === 'none') return
      const isWanted = state !== 'cancelled' && items.some(({ reference }) => reference === item.reference)
      if (isWanted) return
      await accounts.decide(accountOf(item.payoutId), context, (account) => leaveBatch(id)(account, item))
    },

    /**
     * Takes a payment that its account's stream has let go out of its batch.
     *
     * @param from The batch that it was in and its reference there; 'present' for those it has still, if it has any.
     */
    async takeOut(
      id: PayoutId,
      from: { readonly batch: string; readonly reference: string } | 'present',
      context: Context,
    ): Promise<void> {
      const payout = (await accounts.load(accountOf(id))).state.payouts.list.get(id)
      const { batch, reference } = from === 'present' ? (payout?.payment ?? {}) : from
      if (!batch || !reference) return
      await batches.decide(batchId.parse(batch), context, (state) => removeItem(state, reference, whyGone(payout)))
    },

    /** Takes out of an open batch what is not in it any more. @returns these. */
    async takeOutGone(id: BatchId, context: Context) {
      const { state } = await batches.load(id)
      if (state.state !== 'open') return []
      const payouts = await payoutsOf(state.items)
      // One that was recorded as sent by hand is not sent again by a file.
      const gone = state.items.filter((item) => standingOf(payouts.get(item.payoutId), item, id) !== 'in-batch')
      const problems = gone.map(({ payoutId, reference }) => ({
        ...{ payoutId, reference },
        reason: whyGone(payouts.get(payoutId)),
      }))
      if (gone.length > 0)
        await batches.decide(id, context, (batch) =>
          problems.flatMap(({ reference, reason }) => removeItem(batch, reference, reason)),
        )
      return problems.map(({ payoutId, reason }) => ({ payoutId, reason }))
    },

    /**
     * Sends the payments of a batch whose release has begun, then ends the release with the hash of its file. A payment
     * that was rejected or held meanwhile is refused by its account's stream, and leaves the batch before the file is
     * made: so the file has what is sent, and nothing else.
     */
    async finishRelease(id: BatchId, context: Context): Promise<{ state: Batch; position: Position }> {
      const begun = await batches.load(id)
      if (begun.state.state !== 'releasing') return begun
      let isAnyErased = false
      const send: Move = (account, item) => {
        const payout = account.payouts.list.get(item.payoutId)
        const standing = standingOf(payout, item, id)
        if (standing === 'gone') throw new Refused('conflict', whyGone(payout))
        // An earlier try sent it, and its person was deleted before there was a file: the money did not leave.
        const isErased = account.account.erased
        isAnyErased ||= isErased
        if (isErased) return movePayoutPayment(account, item.payoutId, { kind: 'fail', reason: NO_FILE })
        return standing === 'sent'
          ? []
          : movePayoutPayment(account, item.payoutId, { kind: 'send', rate: begun.state.rate }, now())
      }
      await moveAll(id, begun.state.items, context, send)
      // A payment that failed is cancelled, and leaves the batch.
      if (isAnyErased) await moveAll(id, (await batches.load(id)).state.items, context, send)
      const { state } = await batches.load(id)
      const hashes = state.items.length === 0 ? null : hashesOf(orderOf(id, state, await payoutsOf(state.items)))
      return batches.decide(id, context, (batch) => endRelease(batch, hashes))
    },
  }
  return work
}

/** Only a cancellation lets go of what does not fit any more. */
export const UNFIT_NOW = 'Some payments do not fit into this file any more. Cancel the batch and make another.'

/** Why a payment fails that was sent in a batch whose file could not name its person any more. */
export const NO_FILE = 'The person was deleted before the file was made'

/** Payouts that do not fit into a batch, each with its reason: nothing was made or released. */
export class UnfitPayouts extends Error {
  override readonly name = 'UnfitPayouts'
  constructor(
    message: string,
    readonly problems: readonly BatchProblem[],
  ) {
    super(message)
  }
}

type Move = (
  account: AccountState,
  item: Pick<BatchItem, 'payoutId' | 'reference'>,
) => ReturnType<typeof movePayoutPayment>

function leaveBatch(id: BatchId): Move {
  return (account, item) =>
    standingOf(account.payouts.list.get(item.payoutId), item, id) === 'in-batch'
      ? movePayoutPayment(account, item.payoutId, { kind: 'leave-batch' })
      : []
}

export function hashOf(file: string | Uint8Array): string {
  return createHash('sha256').update(file).digest('hex')
}

/** The hashes of the files of an order. @throws {RangeError} as paymentFile does. */
export function hashesOf(order: PaymentOrder): FileHashes {
  return { sha256: hashOf(paymentFile(order)), sha256ForPeople: hashOf(peopleFile(order)) }
}

type FileContent = Pick<Batch, 'format' | 'currency' | 'items' | 'payer' | 'fileAt' | 'fileVersion' | 'codes'>

/** Returns the order that the file of a batch is made from. @throws {Error} for a payout that is unknown. */
export function orderOf(
  id: string,
  { format, currency, items, payer, fileAt, fileVersion, codes }: FileContent,
  payouts: ReadonlyMap<PayoutId, Pick<Payout, 'id' | 'method' | 'destination' | 'details' | 'former'>>,
): PaymentOrder {
  const payments = items.map(({ payoutId, reference, amount }) => {
    const payout = payouts.get(payoutId)
    if (!payout) throw new Error(`${payoutId} of batch ${id} is not on record`)
    const { method } = payout
    return { reference, amount, method, ...whereSent(payout, reference) }
  })
  return { id, format, currency, at: fileAt, payer, fileVersion, codes, payments }
}
