import { comparePositions, type Position } from '#infra/event-store/event-store.ts'
import { forEachAtOnce } from '#infra/async.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { accountOf, batchId, ownerOf, type PayoutId, type UserId } from '#services/framework/ids.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { checkPayee, type Payment } from '#services/trading/stream/payment.ts'
import type { PaymentState } from '#services/trading/stream/payout-vocabulary.ts'
import { movePayoutPayment } from '#services/trading/stream/payout.ts'
import { AT_ONCE, forEachAccount } from '#services/payments/payouts/server/load-payouts.ts'
import { toDecimal } from '#services/rules/money.ts'
import { type AnswerDecision, coveredBy, decideAnswer, fits } from '../answer-decision.ts'
import type { AnswerRow } from '../batch-api.ts'
import type { AnswerOutcome, BatchCurrency } from '../batch-vocabulary.ts'
import { batchStreams } from '../batch.ts'
import type { AnswerFile, BankAnswer } from '../files/bank-answer.ts'
import { payoutOf } from '../files/iso20022.ts'
import { nextStep } from '../next-step.ts'

/** What was ordered under a reference of ours. */
interface Order {
  readonly payoutId: PayoutId
  readonly reference: string
  /** In cents of the currency. */
  readonly amount: number
  readonly currency: BatchCurrency
}

/** What became of an answer about one payment, or about none. */
interface Told {
  readonly index: number
  readonly answer: BankAnswer
  readonly reference: string
  readonly order: Order | null
  readonly outcome: AnswerOutcome
  readonly reason: string | null
  readonly payment: PaymentState | null
}

/** One answer about one payment of ours, before it is recorded. */
type Pending = Pick<Told, 'index' | 'answer' | 'reference'> & { readonly order: Order }

/** Records what a bank says, each payment's answers in their order; the same file again changes nothing. */
export function createAnswerWork(repositories: Repositories) {
  const batches = repositories.of(batchStreams)
  const accounts = repositories.of(accountStreams)

  const batchOf = async (id: string | null) => {
    const { data } = batchId.safeParse(id)
    return data && (await batches.load(data)).state
  }

  const payoutNow = async (id: PayoutId) => (await accounts.load(accountOf(id))).state.payouts.list.get(id)

  /** The order of a reference, or why there is none that an answer may change. */
  const orderOf = async (reference: string): Promise<Order | Pick<Told, 'outcome' | 'reason'>> => {
    const id = payoutOf(reference)
    const payout = id && (await payoutNow(id))
    if (!id || payout?.payment?.reference !== reference)
      return wasGiven(reference, payout?.attempts) ? earlier : unknown
    const batch = await batchOf(payout.payment.batch)
    const item = batch?.items.find((each) => each.reference === reference)
    if (!batch || !item) return unknown
    // No bank knows a payment whose file was not made yet.
    if (batch.state !== 'released') return notReleased
    return { ...item, currency: batch.currency }
  }

  const ofPayments = async (index: number, answer: BankAnswer, references: readonly string[]) => {
    if (references.length === 0) return [{ ...told(index, answer, answer.place), ...problemOf(answer) }]
    const all: (Pending | Told)[] = []
    for (const reference of references) {
      const order = await orderOf(reference)
      all.push(
        'outcome' in order ? { ...told(index, answer, reference), ...order } : { index, answer, reference, order },
      )
    }
    const orders = all.flatMap(({ order }) => order ?? [])
    const [one] = orders
    if (references.length === 1 || !one) return all
    // They are booked in one sum.
    const sum = { amount: orders.reduce((total, { amount }) => total + amount, 0), currency: one.currency }
    const isWhole = orders.length === references.length && fits(answer.amounts, sum)
    return all.map((each) => (isWhole ? { ...each, answer: { ...answer, amounts: null } } : each))
  }

  const ofBatch = async (index: number, answer: BankAnswer, id: string, except: ReadonlySet<string>) => {
    const batch = await batchOf(id)
    if (!batch || batch.state === 'none') return [told(index, answer, id)]
    if (batch.state !== 'released') return [{ ...told(index, answer, id), ...notReleased }]
    const { currency } = batch
    const items = batch.items.filter(({ reference }) => !except.has(reference))
    if (items.length === 0) return []
    // What is said of an order as a whole is said once, unless it is said of each payment.
    if (answer.problem || (answer.state === null && !answer.payee))
      return [{ ...told(index, answer, id), ...(problemOf(answer) ?? { outcome: 'noted', reason: answer.said }) }]
    const states = new Map<string, PaymentState>()
    if (answer.amounts)
      await forEachAtOnce(items, AT_ONCE, async ({ payoutId, reference }) => {
        const payment = (await payoutNow(payoutId))?.payment
        states.set(reference, payment?.reference === reference ? answeredState(payment) : 'open')
      })
    const orders = items.map((item) => ({ ...item, currency, state: states.get(item.reference) ?? 'sent' }))
    const covered = answer.amounts ? coveredBy(answer, orders) : orders
    if (!covered) return [{ ...told(index, answer, id), ...otherTotal }]
    return covered.map((order) => ({ index, answer: { ...answer, amounts: null }, reference: order.reference, order }))
  }

  /** An answer as one of each payment that it is about, or what became of one that is about none. */
  const spread = (index: number, answer: BankAnswer): Promise<readonly (Pending | Told)[]> =>
    'payments' in answer.about
      ? ofPayments(index, answer, answer.about.payments)
      : ofBatch(index, answer, answer.about.batch, answer.about.except)

  const record = async ({ order, ...pending }: Pending, context: Context) => {
    const { answer, reference } = pending
    const { payoutId: id } = order
    let last: Position | undefined
    for (;;) {
      let decision: AnswerDecision | undefined
      const { state, position, events, isRepeated } = await accounts.decide(accountOf(id), context, (account) => {
        const payout = account.payouts.list.get(id)
        const now = payout?.payment
        const present = now?.reference === reference ? answeredState(now) : 'cancelled'
        const problem = problemOf(answer)
        decision = problem
          ? { ...problem, move: null, again: false }
          : decideAnswer({ ...order, state: present }, answer)
        if (decision.move) return movePayoutPayment(account, id, decision.move)
        const { payee } = answer
        return payout && payee && decision.outcome === 'noted' ? checkPayee(payout, reference, payee) : []
      })
      last = position ?? last
      // The file was sent again: what it said is recorded.
      if (isRepeated)
        decision = events.every(({ type }) => type === 'PaymentPayeeChecked')
          ? { outcome: 'noted', reason: answer.said, move: null, again: false }
          : { outcome: 'recorded', reason: null, move: null, again: false }
      if (!decision) throw new Error(`Nothing was decided on ${reference}`)
      if (decision.again) continue
      const { outcome, reason } = decision
      const payment = state.payouts.list.get(id)?.payment?.state ?? null
      return { done: { ...pending, order, outcome, reason, payment }, position: last }
    }
  }

  const namesOf = async (orders: readonly Order[]): Promise<ReadonlyMap<UserId, string>> => {
    const names = new Map<UserId, string>()
    const owners = new Set(orders.map(({ payoutId }) => ownerOf(accountOf(payoutId))))
    await forEachAtOnce(owners, AT_ONCE, async (id) => {
      names.set(id, (await repositories.of(userStreams).load(id)).state.fullName)
    })
    return names
  }

  return async (file: AnswerFile, context: Context) => {
    const known = new Set<string>()
    await forEachAtOnce(file.mentioned, AT_ONCE, async (id) => {
      const batch = await batchOf(id)
      if (batch && batch.state !== 'none') known.add(id)
    })
    const found: (Pending | Told)[] = []
    const recorded = new Map<Pending | Told, Told>()
    let reached: Position | undefined
    const recordNew = async () => {
      const pending = found.flatMap((each) =>
        'outcome' in each || recorded.has(each) ? [] : [{ each, payoutId: each.order.payoutId }],
      )
      await forEachAccount(pending, async ({ each }) => {
        const { done, position } = await record(each, context)
        recorded.set(each, done)
        if (position && (!reached || comparePositions(position, reached) > 0)) reached = position
      })
    }
    for (const [index, answer] of file.answers((id) => known.has(id)).entries()) {
      // Which payments a sum is about depends on what the file has said of them before.
      if ('batch' in answer.about && answer.amounts) await recordNew()
      found.push(...(await spread(index, answer)))
    }
    await recordNew()
    const rows = found.flatMap((each) => ('outcome' in each ? [each] : (recorded.get(each) ?? [])))
    const names = await namesOf(rows.flatMap(({ order }) => order ?? []))
    return { rows: rows.map((row) => rowOf(row, names)), position: reached }
  }
}

function told(index: number, answer: BankAnswer, reference: string): Told {
  return { index, answer, reference, order: null, ...unknown, payment: null }
}

function problemOf({ problem }: BankAnswer) {
  return problem && { outcome: problem.outcome, reason: problem.words }
}

function rowOf(row: Told, names: ReadonlyMap<UserId, string>): AnswerRow {
  const { index, answer, reference, order, outcome, reason, payment } = row
  const { said, payee, remedy } = answer
  return {
    ...{ index, reference, outcome, reason, said, payee, payment },
    payoutId: order?.payoutId ?? null,
    trader: order && (names.get(ownerOf(accountOf(order.payoutId))) || ERASED),
    amount: order && toDecimal(order.amount),
    currency: order?.currency ?? null,
    next: nextStep({ outcome, payment, payee, remedy, isOurs: order !== null || reason !== unknown.reason }),
  }
}

/** One that was cancelled once it had failed or come back is still known as that: its person was deleted. */
function answeredState({ state, owedAs }: Payment): PaymentState {
  return state === 'cancelled' && owedAs !== 'open' ? owedAs : state
}

function wasGiven(reference: string, attempts = 0): boolean {
  return Number(reference.slice(reference.lastIndexOf('-') + 1)) <= attempts
}

const unknown = { outcome: 'unknown', reason: 'No payment has this reference' } as const
const earlier = {
  outcome: 'refused',
  reason: 'The payment has left this batch, or is paid another way. Look into it.',
} as const
const notReleased = { outcome: 'refused', reason: 'The batch of this payment is not released yet' } as const
const otherTotal = { outcome: 'other-amount', reason: 'The file of the batch has another total' } as const
