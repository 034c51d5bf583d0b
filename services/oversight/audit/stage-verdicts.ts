import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { isOneOf } from '#services/event-sourcing/event-definitions.ts'
import { type AccountId, accountId, type EnrolmentId } from '#services/framework/ids.ts'
import { enrolmentEvents } from '#services/identity/users/enrolment.ts'
import type { AnyEvent } from '#services/oversight/event-catalogue.ts'
import { accountEvents } from '#services/trading/stream/account.ts'
import type { Verdict } from './verdicts.ts'

/**
 * Whether the stages of enrolments follow each other: what the streams of a user and of the accounts say together. Runs
 * in browsers.
 */

/** The account of the next stage is assigned right after a stage is passed. In ms. */
const ASSIGNING_TIME = 60_000

/** A stage that a user's stream assigned to an account. */
interface AssignedStage {
  readonly enrolment: EnrolmentId
  readonly stage: number
}

/**
 * Returns the verdicts on assignments of stages that do not follow.
 *
 * @param events In the order of the log, undefined where the file withholds one.
 * @param endsAt When the history ends, ms since 1970.
 */
export function stageVerdicts(events: readonly (RecordedEvent<AnyEvent> | undefined)[], endsAt: number): Verdict[] {
  const assigned = new Map<AccountId, AssignedStage>()
  const counts = new Map<EnrolmentId, number>()
  const passed = new Map<string, { readonly account: AccountId; readonly number: number; readonly at: number }>()
  /** The accounts whose streams the file has. */
  const held = new Set<AccountId>()
  const verdicts: Verdict[] = []
  let isDeleted = false
  const wrong = (account: AccountId, number: number, what: string, why: string) =>
    verdicts.push({
      ...{ account, finding: null, number, outcome: 'does-not-follow' },
      what: `${what} of account ${account} in entry #${number}`,
      why,
    })
  for (const event of events) {
    if (!event) continue
    const number = Number(event.position)
    if (event.type === 'UserDeleted') isDeleted = true
    if (isOneOf(enrolmentEvents, event)) {
      if (event.type === 'TermsAccepted' || event.type === 'OrderNumberRecorded') continue
      const { enrolmentId: enrolment, account } = event.data
      const stage = event.type === 'TraderEnrolled' ? 0 : event.data.stage
      if ((counts.get(enrolment) ?? 0) !== stage)
        wrong(account, number, `Stage ${stage + 1}`, 'It does not come after the stages that were assigned before it.')
      const before = [...assigned].find(([, each]) => each.enrolment === enrolment && each.stage === stage - 1)?.[0]
      if (before && held.has(before) && !passed.has(`${enrolment} ${stage - 1}`))
        wrong(account, number, `Stage ${stage + 1}`, 'The stage before it was not passed.')
      counts.set(enrolment, stage + 1)
      assigned.set(account, { enrolment, stage })
      continue
    }
    if (!isOneOf(accountEvents, event)) continue
    const account = accountId.parse(parseStreamName(event.stream).id)
    held.add(account)
    if (event.type === 'StagePassed')
      passed.set(`${event.data.enrolmentId} ${event.data.stage}`, { account, number, at: event.at })
    if (event.type !== 'StageBegun') continue
    const { enrolmentId, stage } = event.data
    const own = assigned.get(account)
    if (own?.enrolment !== enrolmentId || own.stage !== stage)
      wrong(account, number, `Stage ${stage + 1}`, 'Its enrolment assigned another stage to this account.')
  }
  for (const [key, { account, number, at }] of passed) {
    const isAssigned = [...assigned.values()].some((each) => `${each.enrolment} ${each.stage - 1}` === key)
    if (!isAssigned && !isDeleted && endsAt - at > ASSIGNING_TIME)
      wrong(account, number, 'The pass', 'No account was assigned for the next stage.')
  }
  return verdicts
}
