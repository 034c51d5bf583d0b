import { ALL_OF_PERSON } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { StageFound } from '#services/trading/accounts/server/stages.ts'
import { rulesOfStage } from '#services/trading/stream/stage.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { toDecimal } from '#services/rules/money.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { down, up } from '#services/rules/exact.ts'
import { availablePayout, sumOf } from '#services/trading/stream/available-payout.ts'
import type { OwnAvailablePayout } from '#services/trading/accounts/available-payout-api.ts'
import { availableResponse } from '#services/trading/accounts/available-payout-response.ts'
import { payoutNeeds } from '#services/trading/accounts/payout-needs.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'

/** The payout terms of an account, and what they allow to be taken out now; null without terms. */
export async function payoutTerms(
  parts: Pick<TradingParts['queries'], 'readModels' | 'stages' | 'now'>,
  accountId: string,
): Promise<{ readonly terms: ProgrammeTerms; readonly stage: number; readonly payout: OwnAvailablePayout } | null> {
  const found = await parts.stages.of(accountId)
  const rules = found && rulesOfStage(found.stage).payouts
  if (!found || !rules) return null
  const { documents } = await parts.readModels.find(payouts, { where: { accountId }, limit: ALL_OF_PERSON })
  const pending = documents.filter(({ status }) => status === 'pending')
  const { takes, firstAfterDays, everyDays, minimumOf, mostOfProfit } = rules.terms
  const available = availablePayout(found.stage, parts.now(), sumOf(pending.map(({ amount }) => amount)))
  const payout = {
    ...availableResponse(available),
    needs: payoutNeeds(found.stage, parts.now(), available),
    terms: {
      name: found.stage.terms.name,
      takes,
      firstAfterDays,
      everyDays,
      minimum: toDecimal(up(rules.minimum)),
      minimumOf,
      cap: rules.cap && toDecimal(down(rules.cap)),
      buffer: toDecimal(up(rules.buffer)),
      mostOfProfit,
    },
    events: { terms: found.events.terms, balance: found.events.balance, payout: lastPayout(found) },
  }
  return { terms: found.stage.terms, stage: found.stage.index, payout }
}

/** The event of the last payout that was not booked back. */
function lastPayout({ stage, events }: StageFound): number | null {
  const id = stage.timeline.rows.findLast(
    ({ observation }) => observation.kind === 'payout' && !observation.forfeited,
  )?.source
  return (typeof id === 'string' && events.payouts.get(id)) || null
}
