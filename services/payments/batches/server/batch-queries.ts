import { ERASED } from '#services/event-sourcing/erased.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { SHA256_HEADER } from '#services/framework/api/headers.ts'
import { DEFAULT_ORDER } from '#services/framework/api/pagination-schemas.ts'
import { COUNT_LIMIT, countUpTo, totalOf as totalOfList } from '#services/framework/http/list-total.ts'
import { sendBytes } from '#services/framework/http/memory-file.ts'
import { pageOf, setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { stampOrNoneResponse, stampResponse } from '#services/framework/decision-stamp.ts'
import { forEachAtOnce } from '#infra/async.ts'
import type { Document } from '#infra/read-model-store/read-model-store.ts'
import { AT_ONCE, loadAccounts } from '#services/payments/payouts/server/load-payouts.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import { accountOf, adminKeyId, type BatchId, ownerOf, type PayoutId, type UserId } from '#services/framework/ids.ts'
import { userStreams } from '#services/identity/users/user.ts'
import type { Queries } from '#services/framework/module.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { fullDestination } from '#services/trading/stream/destination-vocabulary.ts'
import type { Payout } from '#services/trading/stream/payout.ts'
import type { Whereabouts } from '#services/trading/stream/payout-destination.ts'
import type { PaymentState } from '#services/trading/stream/payout-vocabulary.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { adminKeyStreams, downloadList } from '#services/identity/staff/access-key.ts'
import { toDecimal } from '#services/rules/money.ts'
import type { batchRoutes, ListedBatch } from '../batch-api.ts'
import { asReleased, batchNotFound, batchStreams } from '../batch.ts'
import { batchFields } from './batch-commands.ts'
import { type BatchDocument, batches, firmAccount } from '../batch-read-model.ts'
import { changeInFile, fileName, paymentFile } from '../files/payment-file.ts'
import type { PaymentOrder } from '../files/payment-order.ts'
import { peopleFile } from '../files/people-file.ts'
import { mostPayments } from '../batch-vocabulary.ts'
import { COIN_CODES_ID, coinCodes } from '../coin-codes.ts'
import { FIRM_ACCOUNT_ID, firmAccounts } from '../firm-account.ts'
import { standingOf, unfitItems, whereSent, whyGone } from './batch-plan.ts'
import { hashesOf, hashOf, orderOf, UNFIT_NOW } from './batch-work.ts'

const statesAfterRelease = ['paid', 'sent', 'failed', 'returned', 'cancelled'] as const
const MOST_IN_FILE = Math.max(...Object.values(mostPayments))

/** Batches for staff, and their files. */
export function batchQueries({
  readModels,
  repositories,
  throttle,
  config,
  now,
}: PaymentsParts['queries']): Queries<typeof batchRoutes> {
  const needsAnother = config.secondConfirmation.includes('batches')
  const streams = repositories.of(batchStreams)

  /** A batch as the log has it: whoever writes to a read model must not change what is paid. */
  const batchInLog = async (id: BatchId): Promise<BatchDocument> => {
    let folded: Document | null | undefined
    for await (const event of streams.readEvents(id)) folded = batches.apply(folded, event)
    if (!folded) throw batchNotFound()
    return batches.validate(folded)
  }

  /** A batch with the accounts of its payments, all of the log. */
  const existing = async (id: BatchId) => {
    const batch = await batchInLog(id)
    const accounts = await loadAccounts(
      repositories.of(accountStreams),
      batch.items.map(({ payoutId }) => payoutId),
    )
    const payoutOf = (payoutId: PayoutId) => accounts.get(accountOf(payoutId))?.payouts.list.get(payoutId)
    return { batch: batch.state === 'open' ? withoutGone(batch, id, payoutOf) : batch, accounts, payoutOf }
  }

  /** How many payments of a released batch are in each state; one that is in another batch by now is in none. */
  const statesOf = async (id: string) => {
    const counts = await Promise.all(
      statesAfterRelease.map(async (state) => ({
        state,
        count: await readModels.count(
          payouts,
          { where: { 'payment.batch': id, 'payment.state': state } },
          MOST_IN_FILE,
        ),
      })),
    )
    return counts.filter(({ count }) => count > 0)
  }

  return {
    firmAccount: {
      needs: [firmAccount],
      handle: async () => ({ body: { account: (await readModels.get(firmAccount, FIRM_ACCOUNT_ID)) ?? null } }),
    },

    coinCodes: {
      needs: [],
      handle: async () => ({ body: { codes: (await repositories.of(coinCodes).load(COIN_CODES_ID)).state } }),
    },

    batches: {
      needs: [batches, payouts],
      handle: async ({ query, request, response }) => {
        const { status: state, ...wanted } = query
        const where = state === undefined ? {} : { state }
        const found = await readModels.find(batches, { ...pageOf({ ...wanted, sort: DEFAULT_ORDER }), where })
        const total = await totalOfList(found, query, () =>
          countUpTo(COUNT_LIMIT, (most) => readModels.count(batches, { where }, most)),
        )
        setPaginationHeaders(request, response, found, total)
        const body = await Promise.all(
          found.documents.map(async (batch) => {
            const states = batch.state === 'released' ? await statesOf(batch.id) : []
            const settled = isSettled(states.map(({ state }) => state))
            return { ...listed(batch), settled, payments: states }
          }),
        )
        return { body }
      },
    },

    batch: {
      needs: [],
      handle: async ({ params }) => {
        const { batch, accounts, payoutOf } = await existing(params.id)
        const persons = new Map<UserId, string>()
        await forEachAtOnce(
          new Set(batch.items.map(({ payoutId }) => ownerOf(accountOf(payoutId)))),
          AT_ONCE,
          async (id) => {
            persons.set(id, (await repositories.of(userStreams).load(id)).state.fullName)
          },
        )
        const items = batch.items.map(({ payoutId, reference, amount }) => {
          const account = accountOf(payoutId)
          const payout = payoutOf(payoutId)
          const payment = paymentIn(batch, reference, payout)
          const isErased = accounts.get(account)?.account.erased ?? true
          const sent = payout && !isErased ? whereSent(payout, reference) : null
          return {
            payoutId,
            reference,
            amount: toDecimal(amount),
            userId: ownerOf(account),
            destination: sent ? destinationOf(sent) : null,
            fullName: persons.get(ownerOf(account)) ?? ERASED,
            traderReceives: payout?.shares ? toDecimal(payout.shares.trader) : null,
            payment: payment?.state ?? null,
            payee: payment?.payee ?? null,
            reason: payment?.reason ?? null,
            notice: sent ? changeInFile(batch.format, sent) : null,
          }
        })
        const removed = batch.removed.map((each) => ({ ...each, amount: toDecimal(each.amount) }))
        const settled = isSettled(items.flatMap(({ payment }) => payment ?? []))
        const method = batch.items.flatMap(({ payoutId }) => payoutOf(payoutId)?.method ?? [])[0] ?? null
        return { body: { ...listed(batch), settled, method, needsAnother, items, removed } }
      },
    },

    batchPreview: {
      needs: [],
      handle: async ({ params, query, response }) => {
        const { batch, payoutOf } = await existing(params.id)
        const { state } = await streams.load(params.id)
        const payer = (await repositories.of(firmAccounts).load(FIRM_ACCOUNT_ID)).state
        const codes = (await repositories.of(coinCodes).load(COIN_CODES_ID)).state
        const released = asReleased({ ...state, items: batch.items }, { payer, codes }, now())
        const paid = payoutsIn(batch, payoutOf)
        const [unfit] = unfitItems(released, paid)
        if (unfit) throw new Refused('conflict', `${unfit.reason}. ${UNFIT_NOW}`)
        const file = fileFor(query.for, orderOf(batch.id, released, paid))
        response.setHeader(SHA256_HEADER, hashOf(file))
        sendBytes(response, fileName(batch, query.for).type, file)
        return undefined
      },
    },

    batchFile: {
      needs: [],
      handle: async ({ caller, params, query, context, response }) => {
        await throttle.attempt(['exportAccessKey', caller.id])
        const { batch, accounts, payoutOf } = await existing(params.id)
        if (batch.state !== 'released') throw new Refused('conflict', 'This batch has no file: it is not released')
        if (batch.items.some(({ payoutId }) => accounts.get(accountOf(payoutId))?.account.erased ?? true))
          throw new Refused(
            'conflict',
            'A person in this batch was erased. The file cannot be made any more; its hash stays.',
          )
        const order = orderOf(batch.id, batch, payoutsIn(batch, payoutOf))
        const hashes = hashesOf(order)
        // Release 0.2.0 recorded no hash of a file for people; it says what the other one says.
        const isReleased =
          hashes.sha256 === batch.sha256 && hashes.sha256ForPeople === (batch.sha256ForPeople ?? hashes.sha256ForPeople)
        if (!isReleased) throw new Error(`A file of batch ${batch.id} is not the one that was released`)
        await repositories
          .of(adminKeyStreams)
          .decide(adminKeyId.parse(caller.id), context, (member) =>
            downloadList(member, { list: 'batches', status: batch.id, searched: false }),
          )
        const { name, type } = fileName(batch, query.for)
        response.setHeader('Content-Disposition', `attachment; filename="${name}"`)
        sendBytes(response, type, fileFor(query.for, order))
        return undefined
      },
    },
  }
}

function fileFor(reader: 'programs' | 'people', order: PaymentOrder): Buffer {
  return Buffer.from(reader === 'people' ? peopleFile(order) : paymentFile(order))
}

type PayoutOf = (payoutId: PayoutId) => Payout | undefined

function payoutsIn(batch: BatchDocument, payoutOf: PayoutOf): ReadonlyMap<PayoutId, Payout> {
  return new Map(
    batch.items.flatMap(({ payoutId }) => {
      const payout = payoutOf(payoutId)
      return payout ? [[payoutId, payout] as const] : []
    }),
  )
}

/** Where the money of a payment goes, in full. */
function destinationOf({ destination, details }: Whereabouts): string {
  return destination ? fullDestination(destination) : details
}

/** Without the payments that their accounts let go, also where the batch does not know it yet. */
function withoutGone(batch: BatchDocument, id: BatchId, payoutOf: PayoutOf): BatchDocument {
  const gone = batch.items.filter((item) => standingOf(payoutOf(item.payoutId), item, id) === 'gone')
  return {
    ...batch,
    items: batch.items.filter((item) => !gone.includes(item)),
    removed: [...batch.removed, ...gone.map((item) => ({ ...item, reason: whyGone(payoutOf(item.payoutId)) }))],
  }
}

/** The payment of a payout, as long as it is the one of this batch: one that failed may be in another by now. */
function paymentIn({ id }: BatchDocument, reference: string, payout: Payout | undefined) {
  const payment = payout?.payment
  return payment?.reference === reference && payment.batch === id ? payment : undefined
}

function listed(batch: BatchDocument): Omit<ListedBatch, 'payments'> {
  const { id, state, maker, releaser, made, released } = batch
  return {
    ...{ id, state, ...batchFields(batch), maker, releaser },
    stamps: { made: stampResponse(made, 'admin'), released: stampOrNoneResponse(released, 'admin') },
  }
}

/** Whether a batch has nothing left to do, by the states of those of its payments that did not leave it. */
function isSettled(states: readonly PaymentState[]): boolean {
  return states.length > 0 && states.every((state) => state === 'paid')
}
