import type { Position } from '#infra/event-store/event-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { accounts as accountStreams } from '#services/modules/account-aggregate.ts'
import { beginStageIn } from '#services/modules/accounts/account.ts'
import { accountIdOf, programmeId, type UserId } from '#services/modules/ids.ts'
import { existingVersion, offeredVersion, programmes } from '#services/modules/programmes/programme.ts'
import { enrolTrader as decideEnrolment, users as userStreams } from '#services/modules/users/user.ts'
import type { EnrolmentAnswer } from '../enrolment-api.ts'
import type { AcceptedTerms, EnrolledVersion, Enrolment, EnrolmentEvent } from '../enrolment.ts'

/**
 * The version of a programme that a trader enrols in now.
 *
 * @throws {Refused} invalid, for a programme that is not offered; conflict, for a retired one
 */
export async function versionOnOffer(repositories: Repositories, id: string): Promise<EnrolledVersion> {
  const { data: programme } = programmeId.safeParse(id)
  const versions = programme ? (await repositories.of(programmes).load(programme)).state : []
  const offered = offeredVersion(versions)
  if (programme && offered) {
    const { terms, hash } = offered.version
    return { programme, name: terms.name, version: offered.number, hash }
  }
  if (versions.some(({ state }) => state === 'retired'))
    throw new Refused('conflict', 'This programme is retired: nobody enrols in it any more', 'programme')
  throw new Refused('invalid', 'There is no such programme', 'programme')
}

/** Enrols a trader, and begins the first stage. @throws {Refused} not-found, conflict */
export async function enrolTrader(
  repositories: Repositories,
  trader: UserId,
  enrolled: EnrolledVersion & { readonly accepted: AcceptedTerms | null },
  context: Context,
): Promise<{ readonly enrolment: Enrolment; readonly position: Position }> {
  const users = repositories.of(userStreams)
  const { revision } = await repositories.of(accountStreams).load(accountIdOf(trader, 1))
  // An account has its opening as its first event, and whatever was set on it after it.
  const isUntouched = revision === 'none' || revision === 0
  const { state, events, eventIds } = await users.decide(trader, context, (user) =>
    decideEnrolment(user, trader, enrolled, isUntouched),
  )
  const appended = events.find((event) => event.type === 'TraderEnrolled')
  const enrolment = state.enrolments.find(({ id }) => id === appended?.data.enrolmentId)
  if (!appended || !enrolment) throw new TypeError('An enrolment is an event')
  const causationId = eventIds.at(-1) ?? context.causationId
  const position = await beginFirstStage(repositories, appended.data, { ...context, causationId })
  return { enrolment, position }
}

/** Begins the first stage of an enrolment in its account, once. */
export async function beginFirstStage(
  repositories: Repositories,
  { enrolmentId, programme, version, hash, account }: EnrolmentEvent['data'],
  context: Context,
): Promise<Position> {
  const { terms } = existingVersion((await repositories.of(programmes).load(programme)).state, version)
  const beginning = { enrolmentId, programme, version, hash, stage: 0, terms }
  const { position } = await repositories
    .of(accountStreams)
    .decide(account, context, (state) => beginStageIn(state.account, account, beginning))
  return position
}

export function enrolmentAnswer(userId: UserId, enrolment: Enrolment): EnrolmentAnswer {
  const { id, programme, version, hash, accounts } = enrolment
  return { id, userId, programme, version, hash, accounts: accounts.map((account, stage) => ({ stage, account })) }
}
