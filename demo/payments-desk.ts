import { accountOf, batchId, type BatchId, ownerOf } from '#services/framework/ids.ts'
import { unfitFor } from '#services/payments/batches/files/payment-order.ts'
import type { PaymentMove } from '#services/trading/stream/payment.ts'
import type { Payout } from '#services/trading/stream/payout.ts'
import { type Agenda, atDesk, DAY, HOUR, midnight, MINUTE, type Story } from './agenda.ts'
import type { History, UserOperation } from './history.ts'
import type { Random } from './random.ts'

/** How the firm pays: batches every two weeks, what the banks answer, transfers by hand. */

interface PaymentsDeskOptions {
  readonly from: number
  readonly until: number
  /** The ids of the keys of the member who makes batches, and of the one who releases them. */
  readonly maker: string
  readonly releaser: string
  readonly random: Random
  readonly agenda: Agenda
  readonly history: Pick<History, 'owed' | 'payoutsIn'>
}

const BETWEEN_PAY_DAYS = 14 * DAY
/** How the first batch of a pay day ends, counted back from the last pay day; all others are paid. */
const endings = ['waits', 'one fails', 'one comes back'] as const
type Ending = (typeof endings)[number] | 'paid'
const formats = { 'pain.001': 'bank', paypal: 'paypal', crypto: 'crypto', csv: 'bank' } as const
/** How long the desk and a trader take to find out why a payment did not arrive. */
const UNTIL_PAID_AGAIN = 30 * DAY

/** The last pay day of a firm, or the weekend before it. */
export function lastPayDay(until: number): number {
  return midnight(until) - 4 * DAY + 10 * HOUR
}

/** All pay days, and at last a payout that is put on hold. */
export function* payTraders(options: PaymentsDeskOptions): Story {
  const { from, until, maker, releaser, random, agenda, history } = options
  for (let following = Math.floor((until - from) / BETWEEN_PAY_DAYS) - 1; following >= 0; following--) {
    let at = atDesk(lastPayDay(until) - following * BETWEEN_PAY_DAYS)
    yield at
    const isDue = ({ payment }: Payout) => payment?.state === 'open' || at - (payment?.at ?? at) > UNTIL_PAID_AGAIN
    let ending: Ending = endings[following % endings.length] ?? 'paid'
    for (const format of ['pain.001', 'paypal', 'crypto', 'csv'] as const) {
      const payouts = history
        .owed()
        .filter((payout) => isDue(payout) && formats[format] === payout.method && fits(format, payout))
      if (payouts.length === 0) continue
      at += 3 * MINUTE
      const batch = batchId.parse(random.letters(16))
      const rate = format === 'pain.001' ? (random.whole(9000, 9400) / 10_000).toFixed(4) : null
      const rateSource = rate && `Reference rate of the ECB, ${new Date(at).toISOString().slice(0, 10)}`
      const ids = payouts.map(({ id }) => id)
      yield { at, kind: 'make batch', keyId: maker, batch, format, rate, rateSource, payouts: ids }
      // Of the last pay day, one batch waits for the other member, and the bank has not answered the others.
      if (following > 0 || ending === 'paid') agenda.add(at, settle(batch, at, ending, following > 0))
      ending = 'paid'
    }
    for (const payout of history.owed())
      if (payout.payment?.state === 'open' && (payout.method === 'skrill' || !payout.destination)) {
        at += 4 * MINUTE
        yield moved(payout, at, { kind: 'pay-by-hand', reference: `TX-${random.whole(10_000_000, 99_999_999)}` })
      }
  }
  const at = until - HOUR
  yield at
  const open = history.owed().filter(({ payment }) => payment?.state === 'open')
  const [oldest] = open.toSorted((one, other) => (one.decidedAt ?? 0) - (other.decidedAt ?? 0))
  const reason = 'The holder of the account is another person than the trader. We have written to you.'
  if (oldest) yield { at, kind: 'hold payout', userId: ownerOf(accountOf(oldest.id)), payoutId: oldest.id, reason }

  function* settle(batch: BatchId, made: number, ending: Ending, isAnswered: boolean): Story {
    const released = atDesk(made + 4 * HOUR)
    yield released
    yield { at: released, kind: 'release batch', keyId: releaser, batch }
    if (!isAnswered) return
    const answered = atDesk(midnight(made) + DAY + 9 * HOUR)
    yield answered
    const sent = history.payoutsIn(batch).filter(({ payment }) => payment?.state === 'sent')
    for (const [index, payout] of sent.entries()) {
      const fails = index === 0 && ending === 'one fails'
      yield moved(
        payout,
        answered,
        fails ? { kind: 'fail', reason: 'AC04, the account is closed' } : { kind: 'confirm' },
      )
    }
    const [first] = sent
    if (!first || ending !== 'one comes back') return
    const back = atDesk(answered + 4 * DAY)
    yield back
    yield moved(first, back, { kind: 'return', reason: 'BE01, the name is not that of the account' })
  }
}

/** In a batch of the currency that the desk pays this format in. */
function fits(format: keyof typeof formats, payout: Payout): boolean {
  const currency = format === 'pain.001' ? 'EUR' : 'USD'
  return unfitFor({ format, currency }, orderOf(payout)) === undefined
}

function orderOf({ shares, method, destination, details }: Payout) {
  return { amount: shares?.trader ?? 0, method, destination, details }
}

function moved({ id }: Payout, at: number, move: PaymentMove): UserOperation {
  return { at, kind: 'move payment', userId: ownerOf(accountOf(id)), payoutId: id, move }
}
