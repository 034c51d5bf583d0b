import type { Position } from '#infra/event-store/event-store.ts'
import type { DecisionResult, Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import {
  type AccountState,
  type AccountStreamEvent,
  accountStreams,
} from '#services/trading/stream/account-aggregate.ts'
import { type AccountEvent, passStage as decidePass } from '#services/trading/stream/account.ts'
import { type AccountId, userOfEnrolment } from '#services/framework/ids.ts'
import { assignNextStage, userStreams } from '#services/identity/users/user.ts'
import { beginStageOf } from './enrol-trader.ts'

type StagePassed = Extract<AccountEvent, { type: 'StagePassed' }>['data']

/**
 * Passes the stage of an account: the account closes with its status, and the account of the next stage is opened and
 * waits for its platform login. A policy completes it after a crash.
 *
 * @param because Events of the account's stream that are appended with it, such as the confirmed finding.
 * @throws {Refused} not-found, conflict
 */
export async function passStage(
  repositories: Repositories,
  account: AccountId,
  context: Context,
  because: (state: AccountState) => readonly AccountStreamEvent[] = () => [],
): Promise<Position> {
  const passed: DecisionResult<AccountState, AccountStreamEvent> = await repositories
    .of(accountStreams)
    .decide(account, context, (state) => [...because(state), ...decidePass(state.account)])
  const event = passed.events.find(({ type }) => type === 'StagePassed')
  if (event?.type !== 'StagePassed') return passed.position
  const causationId = passed.eventIds.at(-1) ?? context.causationId
  return (await beginNextStage(repositories, event.data, { ...context, causationId })) ?? passed.position
}

/**
 * Opens the account of the stage after one that was passed, once. Undefined where its trader was deleted since.
 *
 * @throws {Refused} conflict
 */
export async function beginNextStage(
  repositories: Repositories,
  { enrolmentId, stage }: Pick<StagePassed, 'enrolmentId' | 'stage'>,
  context: Context,
): Promise<Position | undefined> {
  const trader = userOfEnrolment(enrolmentId)
  const repository = repositories.of(userStreams)
  if (!(await repository.load(trader)).state.exists) return undefined
  const { state, eventIds } = await repository.decide(trader, context, (user) =>
    assignNextStage(user, trader, enrolmentId, stage),
  )
  const enrolment = state.enrolments.find(({ id }) => id === enrolmentId)
  const account = enrolment?.accounts[stage + 1]
  if (!enrolment || !account) throw new TypeError('The stage after one that was passed has an account')
  const causationId = eventIds.at(-1) ?? context.causationId
  return beginStageOf(repositories, { ...enrolment, enrolmentId, account }, stage + 1, { ...context, causationId })
}
