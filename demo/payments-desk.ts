import { accountOf, type BatchId, batchId, ownerOf } from '#services/framework/ids.ts'
import { unfitFor } from '#services/payments/batches/files/payment-order.ts'
import type { PaymentMove } from '#services/trading/stream/payment.ts'
import type { Payout } from '#services/trading/stream/payout.ts'
import type { Agenda } from './agenda.ts'
import { atDesk, DAY, HOUR, midnight, MINUTE } from './calendar.ts'
import type { Operation } from './history.ts'
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
  /** The approved payouts that are owed and not on hold, as they are now. */
  owed(): readonly Payout[]
  payoutsIn(batch: BatchId): readonly Payout[]
}

const BETWEEN_PAY_DAYS = 14 * DAY
/** How the first batch of a pay day ends, counted back from the last pay day; all others are paid. */
const endings = ['waits', 'one fails', 'one comes back'] as const
type Ending = (typeof endings)[number] | 'paid'
const formats = ['pain.001', 'paypal', 'crypto', 'csv'] as const
const methods = { 'pain.001': 'bank', paypal: 'paypal', crypto: 'crypto', csv: 'bank' } as const
/** How long the desk and a trader take to find out why a payment did not arrive. */
const UNTIL_PAID_AGAIN = 30 * DAY

/** The last pay day of a firm, or the weekend before it. */
export function lastPayDay(until: number): number {
  return midnight(until) - 4 * DAY + 10 * HOUR
}

export function createPaymentsDesk(options: PaymentsDeskOptions) {
  const { from, until, maker, releaser, random, agenda, owed, payoutsIn } = options
  const count = Math.floor((until - from) / BETWEEN_PAY_DAYS)
  for (let n = 0; n < count; n++) {
    const at = atDesk(lastPayDay(until) - (count - 1 - n) * BETWEEN_PAY_DAYS)
    agenda.add(at, () => collect(at, count - 1 - n))
  }

  function* collect(payDay: number, following: number): Iterable<Operation> {
    let at = payDay
    const isDue = ({ payment }: Payout) => payment?.state === 'open' || at - (payment?.at ?? at) > UNTIL_PAID_AGAIN
    let isFirst = true
    for (const format of formats) {
      const fitting = owed().filter(
        (payout) => isDue(payout) && methods[format] === payout.method && !unfitFor(format, orderedOf(payout)),
      )
      if (fitting.length === 0) continue
      const batch = batchId.parse(random.letters(16))
      const inEuro = format === 'pain.001'
      yield {
        at: (at += 3 * MINUTE),
        kind: 'make batch',
        keyId: maker,
        batch,
        format,
        rate: inEuro ? (random.whole(9000, 9400) / 10_000).toFixed(4) : null,
        rateSource: inEuro ? `Reference rate of the ECB, ${new Date(at).toISOString().slice(0, 10)}` : null,
        payouts: fitting.map(({ id }) => id),
      }
      const [released, answered] = [atDesk(at + 4 * HOUR), atDesk(midnight(at) + DAY + 9 * HOUR)]
      const ending = isFirst ? endings[following % endings.length] : 'paid'
      isFirst = false
      // Of the last pay day, one batch waits for the other member, and the bank has not answered the others.
      if (following > 0 || ending === 'paid')
        agenda.add(released, () => [{ at: released, kind: 'release batch', keyId: releaser, batch }])
      if (following > 0) agenda.add(answered, () => answers(batch, answered, ending))
    }
    const byHand = owed().filter(
      ({ method, destination, payment }) => payment?.state === 'open' && (method === 'skrill' || !destination),
    )
    for (const payout of byHand) {
      const reference = `TX-${random.whole(10_000_000, 99_999_999)}`
      yield moved(payout, (at += 4 * MINUTE), { kind: 'pay-by-hand', reference })
    }
  }

  function* answers(batch: BatchId, at: number, ending: Ending | undefined): Iterable<Operation> {
    const sent = payoutsIn(batch).filter(({ payment }) => payment?.state === 'sent')
    for (const [index, payout] of sent.entries()) {
      const fails = index === 0 && ending === 'one fails'
      yield moved(payout, at, fails ? { kind: 'fail', reason: 'AC04, the account is closed' } : { kind: 'confirm' })
      const back = atDesk(at + 4 * DAY)
      if (index === 0 && ending === 'one comes back')
        agenda.add(back, () => [
          moved(payout, back, { kind: 'return', reason: 'BE01, the name is not that of the account' }),
        ])
    }
  }

  return {
    /** Puts the payout on hold that has been open for longest. */
    heldAt(moment: number): Operation[] {
      const [payout] = owed()
        .filter(({ payment }) => payment?.state === 'open')
        .toSorted((one, other) => (one.decidedAt ?? 0) - (other.decidedAt ?? 0))
      if (!payout) return []
      const reason = 'The holder of the account is another person than the trader. We have written to you.'
      const userId = ownerOf(accountOf(payout.id))
      return [{ at: moment, kind: 'hold payout', userId, payoutId: payout.id, reason }]
    },
  }
}

function orderedOf({ shares, method, destination, details }: Payout) {
  return { amount: shares?.trader ?? 0, method, destination, details }
}

function moved({ id }: Payout, at: number, move: PaymentMove): Operation {
  const account = accountOf(id)
  return { at, kind: 'move payment', userId: ownerOf(account), payoutId: id, move }
}
