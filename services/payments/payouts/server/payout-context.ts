import { ALL_OF_PERSON } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { accountWith } from '#services/trading/accounts/server/account-of-document.ts'
import { standingOf, standingResponse } from '#services/trading/accounts/server/standings.ts'
import { payingStage, type Stage } from '#services/trading/stream/stage.ts'
import { centsOf, toDecimal } from '#services/rules/money.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import type { AdminPayout, PayoutContext } from '../payout-api.ts'
import { type PayoutDocument, payouts } from '#services/trading/accounts/payout-read-model.ts'
import { sumOf } from '../payout-summary.ts'
import { whereTo } from '#services/trading/stream/payout-destination.ts'
import { type Destination, payoutStops, payoutWarnings } from '../payout-warnings.ts'
import type { createPayoutList } from './payout-list.ts'
import { sumResponse } from './payout-responses.ts'
import type { AccountDocument } from '#services/trading/accounts/account-document.ts'
import type { AccountStanding } from '#services/trading/accounts/account-standing.ts'
import { floorOf, payoutEffect } from '#services/trading/stream/available-payout.ts'

/** How many of the trader's other payouts are listed. */
const RECENT = 4

/** Returns what a verdict on a payout depends on. */
export async function payoutContext(
  parts: Pick<PaymentsParts['queries'], 'readModels' | 'stages' | 'now'>,
  list: Pick<ReturnType<typeof createPayoutList>, 'withPersons'>,
  id: string,
): Promise<PayoutContext> {
  const { readModels } = parts
  const payout = await readModels.get(payouts, id)
  if (!payout) throw new HttpError(404, { message: 'Payout request not found' })
  const { userId, accountId } = payout
  const ofUser = (await readModels.find(payouts, { where: { userId }, limit: ALL_OF_PERSON })).documents
  const others = newestFirst(
    ofUser.filter((other) => other.id !== id),
    ({ requestedAt }) => requestedAt,
  )
  const approved = newestFirst(
    others.filter(({ status }) => status === 'approved'),
    ({ decidedAt }) => decidedAt ?? 0,
  )
  const shown = [payout, ...others.slice(0, RECENT), ...approved.slice(0, 1)]
  const rows = new Map((await list.withPersons(shown)).map((row) => [row.id, row]))
  const rowOf = (one: PayoutDocument): AdminPayout => {
    const found = rows.get(one.id)
    if (!found) throw new TypeError(`The payout ${one.id} has no row`)
    return found
  }

  const user = await readModels.get(users, userId)
  const account = user ? await accountWith(parts, accountId) : null
  const standing = account && (await standingOf(parts, account))
  const stage = account?.termsStamp ? payingStage((await parts.stages.of(accountId))?.stage ?? null) : null
  const isOpen = payout.status === 'pending' || payout.status === 'rejected'
  const effect =
    isOpen && account && standing ? effectOf({ payout, ofUser, account, standing, stage }, parts.now()) : null
  const row = rowOf(payout)
  const lastApproved = approved[0] ? rowOf(approved[0]) : null
  const enrolment = user?.enrolments.find(({ id: each }) => each === account?.programme?.enrolmentId)
  const unacceptedTerms = enrolment && !enrolment.accepted ? enrolment.name : null
  const warned =
    user && account ? { ...account, banned: user.banned, emailConfirmed: user.emailConfirmed, unacceptedTerms } : null
  const warnings = payoutWarnings({
    payout,
    destination: destinationOf(row),
    account: warned,
    standing,
    available: stage && effect?.available ? centsOf(effect.available) : null,
    ofUser,
    last: lastApproved && destinationOf(lastApproved),
  })
  return {
    payout: row,
    warnings: [...warnings],
    stops: [...payoutStops({ payout, account: warned })],
    effect,
    standing: standing && standingResponse(accountId, standing),
    others: {
      count: others.length,
      recent: others.slice(0, RECENT).map(rowOf),
      approved: sumResponse(sumOf(approved)),
      lastApproved,
    },
  }
}

function newestFirst(documents: readonly PayoutDocument[], at: (document: PayoutDocument) => number) {
  return documents.toSorted((one, other) => at(other) - at(one))
}

function destinationOf({ paymentMethod, paymentDetails: details, destination }: AdminPayout): Destination {
  return { method: paymentMethod, details: whereTo({ details, destination }), isChecked: destination !== null }
}

interface Situation {
  readonly payout: PayoutDocument
  readonly ofUser: readonly PayoutDocument[]
  readonly account: AccountDocument
  readonly standing: AccountStanding
  /** Null without terms. */
  readonly stage: Stage | null
}

/** Returns the effect of an approval of a payout now. */
function effectOf(
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
