import { comparePositions, type Position } from '#infra/event-store/event-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { accountOf, batchId, payoutId, type PayoutId } from '#services/framework/ids.ts'
import type { Payment } from '#services/trading/stream/payment.ts'
import type { PaymentState } from '#services/trading/stream/payout-vocabulary.ts'
import { movePayoutPayment } from '#services/trading/stream/payout.ts'
import { forEachAccount } from '#services/payments/payouts/server/load-payouts.ts'
import { type AnswerDecision, decideAnswer } from '../answer-decision.ts'
import type { AnswerRow } from '../batch-api.ts'
import { batchStreams, totalOf } from '../batch.ts'
import type { BankAnswer } from '../files/bank-answer.ts'

/** One answer about one payment of ours. */
interface AnsweredPayment {
  readonly index: number
  readonly payoutId: PayoutId
  readonly reference: string
  readonly answer: Omit<BankAnswer, 'about'>
}

/** Records what a bank says, each payment's answers in their order; the same file again changes nothing. */
export function createAnswerWork(repositories: Repositories) {
  const batches = repositories.of(batchStreams)
  const accounts = repositories.of(accountStreams)

  /** An answer as one of each payment that it is about, or what became of one that is about none. */
  const spread = async (index: number, { about, ...answer }: BankAnswer) => {
    if ('reference' in about) {
      const { reference } = about
      const id = payoutOf(reference)
      return [id ? { index, payoutId: id, reference, answer } : unknown(index, reference)]
    }
    const { data: id } = batchId.safeParse(about.batch)
    const batch = id && (await batches.load(id)).state
    if (batch?.state !== 'released') return [unknown(index, about.batch)]
    const { currency, items } = batch
    if (answer.amount !== null && (answer.amount !== totalOf(items) || answer.currency !== currency))
      return [row(index, about.batch, 'other-amount', 'The file of the batch has another total')]
    return items
      .filter(({ reference }) => !about.except.has(reference))
      .map((item) => ({ index, ...item, answer: { ...answer, amount: null, currency: null } }))
  }

  const record = async ({ index, payoutId: id, reference, answer }: AnsweredPayment, context: Context) => {
    const payout = (await accounts.load(accountOf(id))).state.payouts.list.get(id)
    const payment = payout?.payment
    if (!payout || !payment || payment.reference !== reference)
      return { row: wasGiven(reference, payout?.attempts) ? earlier(index, reference) : unknown(index, reference) }
    const { data: batch } = batchId.safeParse(payment.batch)
    const found = batch && (await batches.load(batch)).state
    const item = found?.items.find((each) => each.reference === reference)
    if (!found || !item) return { row: unknown(index, reference) }
    // No bank knows a payment whose file was not made yet.
    if (found.state !== 'released')
      return { row: row(index, reference, 'refused', 'The batch of this payment is not released yet') }
    const { currency } = found
    for (;;) {
      let decision: AnswerDecision | undefined
      const { position } = await accounts.decide(accountOf(id), context, (account) => {
        const now = account.payouts.list.get(id)?.payment
        const state = now?.reference === reference ? answeredState(now) : 'cancelled'
        decision = decideAnswer({ state, amount: item.amount, currency }, answer)
        return decision.move ? movePayoutPayment(account, id, decision.move) : []
      })
      if (!decision) throw new Error(`Nothing was decided on ${reference}`)
      if (!decision.again) return { row: row(index, reference, decision.outcome, decision.reason), position }
    }
  }

  return async (answers: readonly BankAnswer[], context: Context) => {
    const found: (AnsweredPayment | AnswerRow)[] = []
    for (const [index, answer] of answers.entries()) found.push(...(await spread(index, answer)))
    const rows = new Map<AnsweredPayment | AnswerRow, AnswerRow>()
    let reached: Position | undefined
    await forEachAccount(
      found.filter((each) => 'payoutId' in each),
      async (each) => {
        const { row: made, position } = await record(each, context)
        rows.set(each, made)
        if (position && (!reached || comparePositions(position, reached) > 0)) reached = position
      },
    )
    return { rows: found.flatMap((each) => rows.get(each) ?? ('outcome' in each ? [each] : [])), position: reached }
  }
}

/** One that was cancelled once it had failed or come back is still known as that: its person was deleted. */
function answeredState({ state, owedAs }: Payment): PaymentState {
  return state === 'cancelled' && owedAs !== 'open' ? owedAs : state
}

/** The payout that a reference of ours names: '<payout id>-<attempt>'. */
function payoutOf(reference: string): PayoutId | undefined {
  const [, id] = /^(.+)-[1-9]\d{0,3}$/.exec(reference) ?? []
  return payoutId.safeParse(id).data
}

function wasGiven(reference: string, attempts = 0): boolean {
  return Number(reference.slice(reference.lastIndexOf('-') + 1)) <= attempts
}

function row(index: number, reference: string, outcome: AnswerRow['outcome'], reason: string | null): AnswerRow {
  return { index, reference, outcome, reason }
}

function unknown(index: number, reference: string): AnswerRow {
  return row(index, reference, 'unknown', 'No payment has this reference')
}

function earlier(index: number, reference: string): AnswerRow {
  return row(index, reference, 'refused', 'The payment has left this batch, or is paid another way. Look into it.')
}
