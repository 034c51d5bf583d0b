import type { QueryDependencies } from '#services/modules/dependencies.ts'
import { isoTime } from '#services/modules/event-description.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import { toDecimal } from '#services/money/money.ts'
import { printed, printedRule } from '#services/rules/printed-line.ts'
import type { AccountDocument } from '../account-document.ts'
import { type AccountStanding, accountStanding } from '../account-standing.ts'
import { type BalanceChangeDocument, balanceChanges } from '../balance-read-model.ts'
import { Standing } from '../standing-api.ts'

/** More changes than any account has. Of more, the oldest are left out. */
const MOST_CHANGES = 100_000

/** What is read for a standing. */
export const standingNeeds = [users, balanceChanges]

/** Reads what moved the balance of an account, oldest first. */
export async function movementsOf(
  { readModels }: Pick<QueryDependencies, 'readModels'>,
  accountId: string,
): Promise<readonly BalanceChangeDocument[]> {
  return (await readModels.find(balanceChanges, { where: { accountId }, limit: MOST_CHANGES })).documents.toReversed()
}

/** Where an account stands now. */
export async function standingOf(
  parts: Pick<QueryDependencies, 'readModels' | 'now'>,
  account: AccountDocument,
): Promise<AccountStanding> {
  const { dailyDrawdownLimit, overallLossLimit, profitTarget, profitLoss, limitStamps, status, id } = account
  const limitEvents = {
    dailyDrawdownLimit: limitStamps.dailyDrawdownLimit?.number ?? null,
    overallLossLimit: limitStamps.overallLossLimit?.number ?? null,
    profitTarget: limitStamps.profitTarget?.number ?? null,
  }
  const limits = { dailyDrawdownLimit, overallLossLimit, profitTarget, limitEvents }
  const changes = await movementsOf(parts, id)
  return accountStanding({ ...limits, changes, profitLoss, isBreached: status === 'breached' }, parts.now())
}

/** A standing in an answer. */
export function standingResponse(account: string, { line, ...standing }: AccountStanding): Standing {
  const { began, result, progress, resetsAt, agrees } = standing
  return Standing.parse({
    account,
    ...printed(line),
    rules: line.rules.map((rule) => ({
      ...printedRule(rule),
      amount: toDecimal(rule.amount),
      lost: toDecimal(rule.lost),
      event: rule.event,
    })),
    programme: null,
    stage: null,
    resetsAt: isoTime(resetsAt),
    began: began && { at: isoTime(began.at), balance: toDecimal(began.balance) },
    result: { today: toDecimal(result.today), phase: toDecimal(result.phase), total: toDecimal(result.total) },
    progress: progress && {
      target: toDecimal(progress.target),
      percent: progress.percent,
      remaining: toDecimal(progress.remaining),
    },
    agrees,
  })
}
