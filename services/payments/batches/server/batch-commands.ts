import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { newId } from '#services/identity/authentication/random-id.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { receiveUpload } from '#services/framework/http/receive-upload.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import { adminKeyId, type BatchId, batchId } from '#services/framework/ids.ts'
import type { Commands } from '#services/framework/module.ts'
import { assertIndependent } from '#services/identity/staff/server/approver-independence.ts'
import { bicFault, ibanFault, normalBic, normalIban } from '#services/payments/bank-codes.ts'
import { adminKeyStreams } from '#services/identity/staff/access-key.ts'
import { toDecimal } from '#services/rules/money.ts'
import {
  ANSWER_FIELD,
  answerFileMessages,
  type Batch as BatchAnswer,
  type BatchRefusal,
  type batchRoutes,
} from '../batch-api.ts'
import { type Batch, batchStreams, beginRelease, NO_FIRM_ACCOUNT, totalOf } from '../batch.ts'
import { LARGEST_ANSWER_FILE, mostPayments } from '../batch-vocabulary.ts'
import { readAnswers } from '../files/answer-file.ts'
import { UnreadableFile } from '../files/bank-answer.ts'
import { hasSepaText } from '../files/sepa-text.ts'
import { COIN_CODES_ID, coinCodes, setCoinCodes } from '../coin-codes.ts'
import { FIRM_ACCOUNT_ID, firmAccounts, setFirmAccount } from '../firm-account.ts'
import { assertPlausibleRate, EURO_RATES, paymentRates } from '../payment-rate.ts'
import { createAnswerWork } from './answer-work.ts'
import { createBatchWork, UnfitPayouts } from './batch-work.ts'

/** Makes, releases and cancels batches, and records what banks answer. */
export function batchCommands({ repositories, config, now }: PaymentsParts['commands']): Commands<typeof batchRoutes> {
  const batches = repositories.of(batchStreams)
  const adminKeys = repositories.of(adminKeyStreams)
  const work = createBatchWork(repositories, now)
  const recordAll = createAnswerWork(repositories)
  const needsTwo = config.secondConfirmation.includes('batches')

  /** When the oldest payout of a batch was requested, ms since 1970: its maker chooses when the batch is made. */
  const firstRequestIn = async ({ items }: Batch): Promise<number> =>
    Math.min(...[...(await work.payoutsOf(items)).values()].map(({ requestedAt }) => requestedAt))

  const firmAccount = async () => (await repositories.of(firmAccounts).load(FIRM_ACCOUNT_ID)).state
  const codesNow = async () => (await repositories.of(coinCodes).load(COIN_CODES_ID)).state

  return {
    changeFirmAccount: async ({ body, context }) => {
      const errors = definedOnly({
        name: hasSepaText(body.name) ? undefined : 'Please enter a name that a bank can read',
        iban: ibanFault(body.iban),
        bic: bicFault(body.bic),
      })
      const [message] = Object.values(errors)
      if (message !== undefined) throw new HttpError(400, { message, errors })
      const account = { name: body.name, iban: normalIban(body.iban), bic: normalBic(body.bic) }
      const { position } = await repositories
        .of(firmAccounts)
        .decide(FIRM_ACCOUNT_ID, context, (present) => setFirmAccount(present, account))
      return done(position)
    },

    changeCoinCodes: async ({ body, context }) => {
      const { position } = await repositories
        .of(coinCodes)
        .decide(COIN_CODES_ID, context, (present) => setCoinCodes(present, body))
      return done(position)
    },

    makeBatch: async ({ caller, body, context }) => {
      const { format, currency, rate = null, rateSource = null, rateConfirmed = false } = body
      if (format === 'pain.001' && currency !== 'EUR')
        throw new Refused('invalid', 'A SEPA transfer is in euro', 'currency')
      if ((currency === 'EUR') !== (rate !== null))
        throw new Refused(
          'invalid',
          rate === null ? 'A batch in euro needs the rate' : 'A batch in dollars has no rate',
          'rate',
        )
      if (body.payouts.length > mostPayments[format])
        throw new HttpError(
          400,
          fieldFailure('payouts', `A file of this format has at most ${mostPayments[format]} payments`),
        )
      if (format === 'pain.001' && !(await firmAccount())) throw new Refused('conflict', NO_FIRM_ACCOUNT)
      if (rate !== null && !rateConfirmed)
        assertPlausibleRate((await repositories.of(paymentRates).load(EURO_RATES)).state, rate)
      const id = batchId.parse(newId(context, 'batch'))
      const before = await batches.firstDecision(id, context)
      if (before) {
        const { position } = await work.enter(id, withoutKey(context))
        return { status: 201, body: answerOf(id, before.state, null), ...(position && { position }) }
      }
      const made = { format, currency, rate, rateSource, member: adminKeyId.parse(caller.id) }
      const { state, position } = await namingUnfit(() => work.make(id, body.payouts, made, context))
      if (rate !== null)
        await repositories
          .of(paymentRates)
          .decide(EURO_RATES, context, () => [
            { type: 'PaymentRateUsed', data: { batch: id, rate, source: rateSource } },
          ])
      return { status: 201, body: answerOf(id, state, null), ...(position && { position }) }
    },

    releaseBatch: async ({ caller, params, context }) => {
      const { id } = params
      const { state: batch } = await batches.load(id)
      const member = adminKeyId.parse(caller.id)
      if (await batches.isRepeated(id, context)) {
        const { state, position } = await work.finishRelease(id, withoutKey(context))
        return { body: answerOf(id, state, member), position }
      }
      const release = { member, needsTwo, payer: await firmAccount(), codes: await codesNow() }
      beginRelease(batch, release)
      if (needsTwo && batch.maker)
        await assertIndependent(adminKeys, batch.maker, member, { began: await firstRequestIn(batch), now: now() })
      const { state, position } = await namingUnfit(() => work.release(id, release, context))
      return { body: answerOf(id, state, member), position }
    },

    cancelBatch: async ({ params, context }) => {
      const { id } = params
      const { state, position } = await work.cancel(id, context)
      return { body: answerOf(id, state, null), position }
    },

    recordAnswers: {
      receive: receiveUpload(ANSWER_FIELD, {
        ...{ fileSize: LARGEST_ANSWER_FILE, fields: 5, fieldSize: 1000, parts: 10 },
        tooLarge: answerFileMessages.tooLarge,
      }),
      handle: async ({ body, context, request }) => {
        const { file } = request
        if (!file) throw new HttpError(400, fieldFailure(ANSWER_FIELD, answerFileMessages.required))
        try {
          const { rows, position } = await recordAll(readAnswers(body.format, file.buffer), context)
          return { body: rows, ...(position && { position }) }
        } catch (error) {
          if (error instanceof UnreadableFile) throw new HttpError(400, fieldFailure(ANSWER_FIELD, error.message))
          throw error
        }
      },
    },
  }
}

/** For what is found in the state of a batch, and may have been done by the worker meanwhile. */
function withoutKey({ actor, requestId, causationId, correlationId }: Context): Context {
  return { actor, requestId, causationId, correlationId }
}

function definedOnly(faults: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(faults).flatMap(([field, fault]) => (fault ? [[field, fault]] : [])))
}

async function namingUnfit<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UnfitPayouts)) throw error
    const refusal: BatchRefusal = { message: error.message, problems: [...error.problems] }
    throw new HttpError(409, refusal)
  }
}

/** The fields that a batch has in every answer. What was just made or released is not settled. */
export function batchFields({
  format,
  currency,
  rate,
  rateSource,
  items,
  sha256,
  sha256ForPeople,
}: Pick<Batch, 'format' | 'currency' | 'rate' | 'rateSource' | 'items' | 'sha256' | 'sha256ForPeople'>) {
  const file = sha256 === null ? null : { sha256, sha256ForPeople }
  const total = toDecimal(totalOf(items))
  return { format, currency, rate, rateSource, count: items.length, total, settled: false, file }
}

function answerOf(id: BatchId, batch: Batch, releaser: string | null): BatchAnswer {
  const { state, items, maker } = batch
  return {
    id,
    state: state === 'released' || state === 'cancelled' ? state : 'open',
    ...batchFields(batch),
    maker: maker ?? '',
    releaser,
    items: items.map((item) => ({ ...item, amount: toDecimal(item.amount) })),
  }
}
