import type { Position } from '#infra/event-store/event-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { type AccountState, accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { beginNextStage } from '#services/trading/enrolments/server/pass-stage.ts'
import type { AccountId } from '#services/framework/ids.ts'
import { reviewFindings } from '#services/trading/stream/finding.ts'

/**
 * Raises what follows from the rules of an account now, and reopens what was corrected: by the system, in an append of
 * its own. A policy does it again, for the process that died in between.
 *
 * @param now Ms since 1970: what time alone decides by then is raised too.
 * @returns the position that it reached, if it decided something.
 */
export async function reviewAccount(
  repositories: Repositories,
  account: AccountId,
  context: Context,
  now: number,
): Promise<Position | undefined> {
  const bySystem: Context = { ...context, actor: { kind: 'system', label: 'rules' } }
  const { events, eventIds, position } = await repositories
    .of(accountStreams)
    .decide(account, bySystem, (state) => reviewFindings(state, now))
  const passed = events.find((event) => event.type === 'StagePassed')
  if (!passed) return events.length > 0 ? position : undefined
  const causationId = eventIds.at(-1) ?? context.causationId
  return (await beginNextStage(repositories, passed.data, { ...bySystem, causationId })) ?? position
}

/** The same where this state, the newest that is known, asks for it. */
export async function reviewWhereNeeded(
  repositories: Repositories,
  account: AccountId,
  { state, eventIds }: { readonly state: AccountState; readonly eventIds: readonly string[] },
  context: Context,
  now: number,
): Promise<Position | undefined> {
  if (reviewFindings(state, now).length === 0) return undefined
  return reviewAccount(repositories, account, { ...context, causationId: eventIds.at(-1) ?? context.causationId }, now)
}
