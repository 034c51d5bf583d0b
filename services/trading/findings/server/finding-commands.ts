import { Refused } from '#services/event-sourcing/refusal.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import { type AccountState, accountStreams } from '#services/trading/stream/account-aggregate.ts'
import type { EventReference } from '#services/trading/stream/decision-reason.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import {
  type AccountId,
  accountOf,
  type AdminKeyId,
  adminKeyId,
  type FindingId,
  ownerOf,
} from '#services/framework/ids.ts'
import type { Commands } from '#services/framework/module.ts'
import { assertIndependent, mayStillApprove } from '#services/identity/staff/server/approver-independence.ts'
import { withHoldsOfBan } from '#services/trading/accounts/server/ban-holds.ts'
import { adminKeyStreams } from '#services/identity/staff/access-key.ts'
import type { findingRoutes } from '../finding-api.ts'
import { assertSeenFinding } from './seen-finding.ts'
import { confirmFinding, dismissFinding, type Finding, findingNotFound } from '#services/trading/stream/finding.ts'
import { isOneOf } from '#services/event-sourcing/event-definitions.ts'
import { staffBehind } from '#services/framework/api/actor.ts'
import { observationEvents } from '#services/trading/stream/observation-events.ts'
import { type Hand, handsBehind, handsIn } from '#services/trading/stream/observation-hands.ts'

/** Verdicts of staff on what the rules found. */
export function findingCommands({
  repositories,
  config,
  react,
  reportForgedRow,
  now,
}: TradingParts['commands']): Commands<typeof findingRoutes> {
  const accounts = repositories.of(accountStreams)
  const adminKeys = repositories.of(adminKeyStreams)
  const isFourEyes = config.secondConfirmation.includes('breaches')

  /** The event that breached the account; null while it is not breached. */
  const breachOf = async (account: AccountId): Promise<EventReference | null> => {
    const { breachRevision } = (await accounts.load(account)).state.account
    if (breachRevision === null) return null
    for await (const event of accounts.readEvents(account, breachRevision))
      return { revision: breachRevision, number: eventNumber(event) }
    return null
  }

  /**
   * Refuses who would confirm alone what one person made.
   *
   * @throws {Refused} conflict
   */
  const assertOthersWork = async (account: AccountId, finding: Finding, member: AdminKeyId): Promise<void> => {
    const hands: Hand<AdminKeyId>[] = []
    for await (const event of accounts.readEvents(account)) {
      const by = isOneOf(observationEvents, event) ? staffBehind(event) : null
      if (by && isOneOf(observationEvents, event))
        hands.push(...handsIn(event, eventNumber(event), adminKeyId.parse(by.id)))
    }
    const behind = handsBehind(hands, finding)
    const own = behind.find(({ by }) => by === member)
    if (own)
      throw new Refused(
        'conflict',
        `This finding rests on what you ${own.how} in entry #${own.event}. Another member of staff has to confirm it.`,
      )
    for (const maker of new Set(behind.map(({ by }) => by)))
      await assertIndependent(adminKeys, maker, member, { began: finding.raisedAt, now: now() })
  }

  return {
    confirmFinding: async ({ caller, params, body, context }) => {
      const { id } = params
      const account = accountOf(id)
      if (body.seen) await assertSeenFinding(repositories, account, id, body.seen, reportForgedRow)
      const member = adminKeyId.parse(caller.id)
      const loaded = (await accounts.load(account)).state
      const known = loaded.findings.list.find((each) => each.id === id)
      const first = known?.firstConfirmation ?? null
      const hasLapsed = first !== null && !(await mayStillApprove(adminKeys, first, now(), 'decide-findings'))
      const lapsed = hasLapsed ? first : null
      if (isFourEyes && first !== null && !hasLapsed && first !== member)
        await assertIndependent(adminKeys, first, member, { began: known?.raisedAt ?? 0, now: now() })
      if (isFourEyes && known) await assertOthersWork(account, known, member)
      const result = await accounts.decide(account, context, (state) => {
        const finding = state.findings.list.find((each) => each.id === id)
        if (isFourEyes && changesOf(state) !== changesOf(loaded))
          throw new Refused('conflict', 'What this finding rests on was changed meanwhile. Look at it again.')
        // Only the first confirmation that was loaded is known to be independent.
        if (isFourEyes && finding?.firstConfirmation && finding.firstConfirmation !== first)
          throw new Refused('conflict', 'Another member confirmed this finding meanwhile. Look at it again.')
        return confirmFinding(state, id, { member, needsTwo: isFourEyes, lapsed })
      })
      return answerOf(result.state.findings.list, id, await react(result))
    },

    dismissFinding: async ({ params, body, context }) => {
      const { id } = params
      const account = accountOf(id)
      if (body.seen) await assertSeenFinding(repositories, account, id, body.seen, reportForgedRow)
      const corrects = await breachOf(account)
      const result = await withHoldsOfBan(ownerOf(account), context, repositories, (isBanned) =>
        accounts.decide(account, context, (state) => dismissFinding(state, id, body.reason, corrects, isBanned)),
      )
      return answerOf(result.state.findings.list, id, await react(result))
    },
  }
}

/** Grows with each observation that is recorded, and with each correction. */
function changesOf({ stage }: Pick<AccountState, 'stage'>): number {
  return stage ? stage.known.list.reduce((sum, { now, before }) => sum + 2 * before.length + (now ? 1 : 0), 0) : 0
}

function answerOf<Position, State extends string>(
  findings: readonly { readonly id: FindingId; readonly state: State }[],
  id: FindingId,
  position: Position,
) {
  const finding = findings.find((each) => each.id === id)
  if (!finding) throw findingNotFound()
  return { body: { state: finding.state }, position }
}
