import { z } from 'zod'
import { personalFields } from '#services/event-sourcing/read-models/personal-fields.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { DEFAULT_ORDER } from '#services/framework/api/pagination-schemas.ts'
import { COUNT_LIMIT, countUpTo, totalOf as totalOfList } from '#services/framework/http/list-total.ts'
import { sendBytes } from '#services/framework/http/memory-file.ts'
import { pageOf, setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { stampOrNoneResponse, stampResponse } from '#services/framework/decision-stamp.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import { adminKeyId } from '#services/framework/ids.ts'
import type { Queries } from '#services/framework/module.ts'
import { destination } from '#services/trading/stream/destination-vocabulary.ts'
import { payoutEvents } from '#services/trading/stream/payout.ts'
import { type PayoutDocument, payouts } from '#services/trading/accounts/payout-read-model.ts'
import { adminKeyStreams, downloadList } from '#services/identity/staff/access-key.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { toDecimal } from '#services/rules/money.ts'
import type { batchRoutes, ListedBatch } from '../batch-api.ts'
import { batchNotFound } from '../batch.ts'
import { batchFields } from './batch-commands.ts'
import { type BatchDocument, batches, firmAccount } from '../batch-read-model.ts'
import { changeInFile, fileName, paymentFile } from '../files/payment-file.ts'
import { FIRM_ACCOUNT_ID } from '../firm-account.ts'
import { hashOf, orderOf } from './batch-work.ts'

/** Batches for staff, and their files. */
export function batchQueries({
  readModels,
  personKeys,
  repositories,
  throttle,
  config,
}: PaymentsParts['queries']): Queries<typeof batchRoutes> {
  const needsAnother = config.secondConfirmation.includes('batches')
  const existing = async (id: string) => {
    const batch = await readModels.get(batches, id)
    if (!batch) throw batchNotFound()
    const found = await readModels.getMany(
      payouts,
      batch.items.map(({ payoutId }) => payoutId),
    )
    const keys = await personKeys.get([...new Set([...found.values()].map(({ userId }) => userId))])
    const destinationOf = ({ userId, details }: PayoutDocument) => {
      const key = keys.get(userId)
      return key === undefined || key === 'destroyed'
        ? undefined
        : personal.parse(personalFields(payoutEvents.PayoutRequested, details, key))
    }
    return { batch, found, destinationOf }
  }

  return {
    firmAccount: {
      needs: [firmAccount],
      handle: async () => ({ body: { account: (await readModels.get(firmAccount, FIRM_ACCOUNT_ID)) ?? null } }),
    },

    batches: {
      needs: [batches],
      handle: async ({ query, request, response }) => {
        const { status: state, ...wanted } = query
        const where = state === undefined ? {} : { state }
        const found = await readModels.find(batches, { ...pageOf({ ...wanted, sort: DEFAULT_ORDER }), where })
        const total = await totalOfList(found, query, () =>
          countUpTo(COUNT_LIMIT, (most) => readModels.count(batches, { where }, most)),
        )
        setPaginationHeaders(request, response, found, total)
        return { body: found.documents.map(listed) }
      },
    },

    batch: {
      needs: [batches, payouts, users],
      handle: async ({ params }) => {
        const { batch, found, destinationOf } = await existing(params.id)
        const persons = await readModels.getMany(users, [...new Set([...found.values()].map(({ userId }) => userId))])
        const items = batch.items.map(({ payoutId, reference, amount }) => {
          const payout = found.get(payoutId)
          const payment = paymentIn(batch, reference, payout)
          const to = payout && destinationOf(payout)
          return {
            payoutId,
            reference,
            amount: toDecimal(amount),
            userId: payout?.userId ?? '',
            fullName: (payout && persons.get(payout.userId)?.fullName) ?? ERASED,
            traderReceives: payout?.shares ? toDecimal(payout.shares.trader) : null,
            payment: payment?.state ?? null,
            reason: payment?.reason ?? null,
            notice: to ? changeInFile(batch.format, to) : null,
          }
        })
        const removed = batch.removed.map((each) => ({ ...each, amount: toDecimal(each.amount) }))
        return { body: { ...listed(batch), needsAnother, items, removed } }
      },
    },

    batchFile: {
      needs: [batches, payouts],
      handle: async ({ caller, params, context, response }) => {
        await throttle.attempt(['exportAccessKey', caller.id])
        const { batch, found, destinationOf } = await existing(params.id)
        if (batch.state !== 'released' || !batch.released)
          throw new Refused('conflict', 'This batch has no file: it is not released')
        const destinations = new Map(
          [...found].flatMap(([, payout]) => {
            const to = destinationOf(payout)
            return to ? [[payout.id, { method: payout.method, ...to }] as const] : []
          }),
        )
        if (batch.items.some(({ payoutId }) => !destinations.has(payoutId)))
          throw new Refused(
            'conflict',
            'A person in this batch was erased. The file cannot be made any more; its hash stays.',
          )
        const file = paymentFile(orderOf(batch.id, { ...batch, releaseBegunAt: batch.released.at }, destinations))
        if (hashOf(file) !== batch.sha256)
          throw new Error(`The file of batch ${batch.id} is not the one that was released`)
        await repositories
          .of(adminKeyStreams)
          .decide(adminKeyId.parse(caller.id), context, (member) =>
            downloadList(member, { list: 'batches', status: batch.id, searched: false }),
          )
        const { name, type } = fileName(batch)
        response.setHeader('Content-Disposition', `attachment; filename="${name}"`)
        sendBytes(response, type, Buffer.from(file))
        return undefined
      },
    },
  }
}

/** The payment of a payout, as long as it is the one of this batch: one that failed may be in another by now. */
function paymentIn({ id }: BatchDocument, reference: string, payout: PayoutDocument | undefined) {
  const payment = payout?.payment
  return payment?.reference === reference && payment.batch === id ? payment : undefined
}

const personal = z.object({ details: z.string(), destination: destination.nullable() })

function listed(batch: BatchDocument): ListedBatch {
  const { id, state, maker, releaser, made, released } = batch
  return {
    ...{ id, state, ...batchFields(batch), maker, releaser },
    stamps: { made: stampResponse(made, 'admin'), released: stampOrNoneResponse(released, 'admin') },
  }
}
