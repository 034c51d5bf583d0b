import type { Position } from '#infra/event-store/event-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { AccountEvent } from '#services/trading/stream/account.ts'
import { userOfEnrolment } from '#services/framework/ids.ts'
import { assignNextStage, userStreams } from '#services/identity/users/user.ts'
import { beginStageOf } from './enrol-trader.ts'

type StagePassed = Extract<AccountEvent, { type: 'StagePassed' }>['data']

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
  const { state, events } = await repository.decide(trader, context, (user) =>
    assignNextStage(user, trader, enrolmentId, stage),
  )
  const enrolment = state.enrolments.find(({ id }) => id === enrolmentId)
  const account = enrolment?.accounts[stage + 1]
  if (!enrolment || !account) throw new TypeError('The stage after one that was passed has an account')
  const causationId = events.at(-1)?.id ?? context.causationId
  return beginStageOf(repositories, { ...enrolment, enrolmentId, account }, stage + 1, { ...context, causationId })
}
