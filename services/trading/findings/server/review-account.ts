import type { Position } from '#infra/event-store/event-store.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import type { AccountId } from '#services/framework/ids.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { warnOfLimits } from '#services/trading/stream/limit-warning.ts'
import { reviewFindings } from '#services/trading/stream/finding.ts'

/**
 * Raises what follows from the rules of an account now, and reopens what was corrected: by the system, in an append of
 * its own.
 *
 * @param now Ms since 1970: what time alone decides by then is raised too.
 * @returns the position that it reached, if it decided something.
 */
export async function reviewAccount(
  { repositories, react }: Pick<TradingParts['policies'], 'repositories' | 'react'>,
  account: AccountId,
  context: Context,
  now: number,
): Promise<Position | undefined> {
  const accounts = repositories.of(accountStreams)
  // Mostly there is nothing to decide, and the policy looks again: a load is cheaper than a decision.
  if (reviewFindings((await accounts.load(account)).state, now).length === 0) return undefined
  const reviewed = await accounts.decide(account, bySystem(context), (state) => reviewFindings(state, now))
  return reviewed.events.length > 0 ? react(reviewed) : undefined
}

/**
 * Warns the trader of limits that are close now, in an append of its own: what an import finds of past days is no news.
 *
 * @returns the position that it reached, if it warned.
 */
export async function warnTrader(
  { repositories, react, now }: Pick<TradingParts['policies'], 'repositories' | 'react' | 'now'>,
  account: AccountId,
  context: Context,
): Promise<Position | undefined> {
  const accounts = repositories.of(accountStreams)
  if (warnOfLimits((await accounts.load(account)).state, now()).length === 0) return undefined
  const warned = await accounts.decide(account, bySystem(context), (state) => warnOfLimits(state, now()))
  return warned.events.length > 0 ? react(warned) : undefined
}

function bySystem(context: Context): Context {
  return { ...context, actor: { kind: 'system', label: 'rules' } }
}
