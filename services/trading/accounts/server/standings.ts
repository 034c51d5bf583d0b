import type { TradingParts } from '#services/trading/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { users } from '../user-read-model.ts'
import { toCents, toDecimal } from '#services/rules/money.ts'
import { printed, printedRule } from '#services/rules/printed-line.ts'
import type { AccountDocument } from '../account-document.ts'
import { type AccountStanding, accountStanding } from '../account-standing.ts'
import { type BalanceChangeDocument, balanceChanges } from '../balance-read-model.ts'
import { programmeStanding } from '../programme-standing.ts'
import { stageEvents } from '../stage-read-model.ts'
import { endingOf, type FoundNow } from '#services/trading/stream/found.ts'
import { type ArithmeticLine, Standing } from '../standing-api.ts'
import { arithmeticResponse } from './arithmetic-response.ts'
import type { StageFound } from './stages.ts'
import { tradingRecordOf } from './trading-records.ts'

/** More changes than any account has. Of more, the oldest are left out. */
const MOST_CHANGES = 100_000

/** A standing needs these read models. */
export const standingNeeds = [users, balanceChanges, stageEvents]

/** Reads what moved the balance of an account, oldest first. */
export async function movementsOf(
  { readModels }: Pick<TradingParts['queries'], 'readModels'>,
  accountId: string,
): Promise<readonly BalanceChangeDocument[]> {
  return (await readModels.find(balanceChanges, { where: { accountId }, limit: MOST_CHANGES })).documents.toReversed()
}

/** A standing, with the arithmetic of what ended its stage. */
interface StandingFound extends AccountStanding {
  readonly arithmetic?: readonly ArithmeticLine[]
}

/** Where an account stands now. */
export async function standingOf(
  parts: Pick<TradingParts['queries'], 'readModels' | 'stages' | 'now'>,
  account: AccountDocument,
): Promise<StandingFound> {
  const found = account.programme && (await parts.stages.of(account.id))
  const ending = found && endingOf(found.stage)
  if (account.programme && found) {
    const standing = programmeStanding(
      { ...account.programme, size: toCents(account.programme.size) },
      found.stage,
      {
        begunAt: found.begunAt,
        events: { terms: found.events.terms, proofs: tradingRecordOf(account.id, found, parts.now()).proofs },
        person: decidedByPerson(account, found),
      },
      parts.now(),
    )
    return ending ? { ...standing, arithmetic: arithmeticOfEnding(found, ending) } : standing
  }
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

const endings = new WeakMap<StageFound, readonly ArithmeticLine[]>()

/** A stage that has ended stays as it is, and its whole history is evaluated for it. */
function arithmeticOfEnding(found: StageFound, ending: FoundNow): readonly ArithmeticLine[] {
  const lines = endings.get(found) ?? arithmeticResponse(found, ending)
  endings.set(found, lines)
  return lines
}

/** Returns a person's decision against the rules: the status as it is, or that a finding does not count. */
function decidedByPerson({ statusStamp }: AccountDocument, { events }: StageFound): AccountStanding['person'] {
  if (statusStamp?.decision && statusStamp.decision.finding === null)
    return { decided: 'status', event: statusStamp.number }
  const dismissal = [...events.dismissals.values()].at(-1)
  return dismissal === undefined ? null : { decided: 'finding', event: dismissal }
}

/** A standing in an answer. */
export function standingResponse(account: string, { line, ...standing }: StandingFound): Standing {
  const { began, result, progress, programme, terms, person, asOf, reported, dayStartedAt, resetsAt, agrees } = standing
  return Standing.parse({
    account,
    ...printed(line),
    rules: line.rules.map((rule) => ({
      ...printedRule(rule),
      amount: rule.amount === null ? null : toDecimal(rule.amount),
      lost: rule.lost === null ? null : toDecimal(rule.lost),
      ...(rule.taken > 0 && { taken: toDecimal(rule.taken) }),
      event: rule.event,
      percent: rule.percent,
      terms: rule.terms && { ...rule.terms, since: rule.terms.since === null ? null : isoTime(rule.terms.since) },
    })),
    programme: programme && { id: programme.id, version: programme.version, hash: programme.hash },
    stage: programme && programme.stage,
    terms,
    person,
    asOf: asOf === null ? null : isoTime(asOf),
    reported: reported && {
      at: isoTime(reported.at),
      equity: toDecimal(reported.equity),
      floating: toDecimal(reported.equity - reported.balance),
    },
    ...(standing.arithmetic && { arithmetic: standing.arithmetic }),
    dayStartedAt: isoTime(dayStartedAt),
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
