import type { Position } from '#infra/event-store/event-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { beginStageIn } from '#services/trading/stream/account.ts'
import { beginningOf } from '#services/trading/stream/programme-stage.ts'
import { accountIdOf, programmeId, type UserId } from '#services/framework/ids.ts'
import { existingVersion, offeredVersion, programmeStreams } from '#services/programmes/programmes/programme.ts'
import { enrolTrader as decideEnrolment, userStreams } from '#services/identity/users/user.ts'
import type { EnrolmentAnswer } from '../enrolment-api.ts'
import type { EnrolledVersion, Enrolment, EnrolmentTerms, TraderEnrolled } from '#services/identity/users/enrolment.ts'

/**
 * The version of a programme that a trader enrols in now.
 *
 * @throws {Refused} invalid, for a programme that is not offered; conflict, for a retired one
 */
export async function versionOnOffer(repositories: Repositories, id: string): Promise<EnrolledVersion> {
  const { data: programme } = programmeId.safeParse(id)
  const versions = programme ? (await repositories.of(programmeStreams).load(programme)).state : []
  const offered = offeredVersion(versions)
  if (programme && offered) {
    const { terms, hash } = offered.version
    return { programme, name: terms.name, version: offered.number, hash }
  }
  if (versions.some(({ state }) => state === 'retired'))
    throw new Refused('conflict', 'This programme is retired: nobody enrols in it any more', 'programme')
  throw new Refused('invalid', 'There is no such programme', 'programme')
}

/** Enrols a trader, an order's once, and begins the first stage. @throws {Refused} not-found, conflict */
export async function enrolTrader(
  repositories: Repositories,
  trader: UserId,
  { programme, name, version, hash, accepted, order }: EnrolmentTerms,
  context: Context,
): Promise<{ readonly enrolment: Enrolment; readonly position: Position }> {
  const users = repositories.of(userStreams)
  const { revision } = await repositories.of(accountStreams).load(accountIdOf(trader, 1))
  // An account has its opening as its first event, and whatever was set on it after it.
  const isUntouched = revision === 'none' || revision === 0
  const { state, events } = await users.decide(trader, context, (user) =>
    decideEnrolment(user, trader, { programme, name, version, hash, accepted, order }, isUntouched),
  )
  const appended = events.find((event) => event.type === 'TraderEnrolled')?.data.enrolmentId
  const enrolment = state.enrolments.find((each) => (appended ? each.id === appended : each.order === order))
  const account = enrolment?.accounts[0]
  if (!enrolment || !account) throw new TypeError('An enrolment is an event')
  const causationId = events.at(-1)?.id ?? context.causationId
  const position = await beginStageOf(repositories, { ...enrolment, enrolmentId: enrolment.id, account }, 0, {
    ...context,
    causationId,
  })
  return { enrolment, position }
}

type EnrolledAccount = Pick<TraderEnrolled, 'enrolmentId' | 'programme' | 'version' | 'hash' | 'account'>

/** Begins a stage of an enrolment in its account, once. */
export async function beginStageOf(
  repositories: Repositories,
  { account, ...enrolled }: EnrolledAccount,
  stage: number,
  context: Context,
): Promise<Position> {
  const { state: versions } = await repositories.of(programmeStreams).load(enrolled.programme)
  const beginning = beginningOf(enrolled, existingVersion(versions, enrolled.version), stage)
  const { position } = await repositories
    .of(accountStreams)
    .decide(account, context, (state) => beginStageIn(state.account, account, beginning))
  return position
}

export function enrolmentAnswer(userId: UserId, enrolment: Enrolment): EnrolmentAnswer {
  const { id, programme, version, hash, accounts } = enrolment
  return { id, userId, programme, version, hash, accounts: accounts.map((account, stage) => ({ stage, account })) }
}
