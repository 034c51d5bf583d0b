import type { AccountDocument } from '#services/trading/accounts/account-document.ts'
import type { AccountStanding } from '#services/trading/accounts/account-standing.ts'
import type { Stage } from '#services/trading/stream/stage.ts'
import { toDecimal } from '#services/rules/money.ts'
import { payoutEffect } from '#services/trading/stream/available-payout.ts'
import type { PayoutContext } from '../payout-api.ts'
import { floorOf } from '#services/trading/stream/available-payout.ts'
import type { PayoutDocument } from '#services/trading/accounts/payout-read-model.ts'
import { sumOf } from '../payout-summary.ts'
import { sumResponse } from './payout-responses.ts'

interface Situation {
  readonly payout: PayoutDocument
  readonly ofUser: readonly PayoutDocument[]
  readonly account: AccountDocument
  readonly standing: AccountStanding
  /** Null without terms. */
  readonly stage: Stage | null
}

/** What the approval of a payout does, as things stand. */
export function effectOf(
  { payout, ofUser, account, standing, stage }: Situation,
  now: number,
): NonNullable<PayoutContext['effect']> {
  const { amount, id, accountId } = payout
  const { balance, profitLoss } = account
  const others = ofUser.filter((other) => other.accountId === accountId && other.id !== id)
  const waiting = sumResponse(sumOf(others.filter(({ status }) => status === 'pending')))
  const around = (before: number, after: number) => ({ before: toDecimal(before), after: toDecimal(after) })
  const common = { balance: around(balance, balance - amount), waiting }
  if (stage) {
    const { available, profit, floor, shares } = payoutEffect(stage, now, amount)
    return {
      ...common,
      deducts: 'always',
      profit: around(profit.before, profit.after),
      available: toDecimal(available),
      floor: floor && around(floor.before, floor.after),
      traderReceives: toDecimal(shares.trader),
      firmKeeps: toDecimal(shares.firm),
    }
  }
  const floor = floorOf(standing.line)
  const unpaid = profitLoss - sumOf(others.filter(({ status }) => status === 'approved')).total
  return {
    ...common,
    deducts: amount > balance ? 'not-covered' : account.programme ? 'always' : 'possible',
    profit: around(unpaid, unpaid - amount),
    available: null,
    floor: floor === null ? null : around(floor, floor),
    traderReceives: toDecimal(amount),
    firmKeeps: toDecimal(0),
  }
}
