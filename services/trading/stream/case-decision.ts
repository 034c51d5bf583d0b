import { fold } from '#services/event-sourcing/decider.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { AppendedEvent } from '#services/event-sourcing/event-definitions.ts'
import type { CaseId } from '#services/framework/ids.ts'
import { type AccountState, accountStateDecider, type AccountStreamEvent, changeByStaff } from './account-aggregate.ts'
import { type Case, changeable, type Objectable, recordDecision } from './case.ts'
import type { CaseOutcome } from './case-vocabulary.ts'
import type { EventReference } from './decision-reason.ts'
import { type Confirmer, confirmFinding, dismissFinding, reopenFinding } from './finding.ts'
import { approvePayout, type Approver, holdPayout } from './payout.ts'

/** The decision of a case, with the change that it makes by the rules of the call that does it (cases.md, "Cases"). */

export interface CaseVerdict {
  readonly outcome: CaseOutcome
  readonly text: string
  readonly change: CaseChange | null
}

/** `{payout: 'approved'}` and the like. */
export type CaseChange = Readonly<Partial<Record<'payout' | 'finding' | 'breach' | 'hold', string>>>

/** Who decides, and what is known beside the account. */
export interface CaseDecider {
  readonly approver: Approver
  readonly confirmer: Confirmer
  /** The event that breached the account. */
  readonly breach: EventReference | null
  /** Whether the trader is banned. */
  readonly isBanned: boolean
}

/**
 * Decides a case, with its change in the same append. What was changed since the opening is named, and not done again.
 *
 * @param now Ms since 1970.
 * @throws {Refused} not-found; conflict, with the reason where the change cannot be made; invalid
 */
export function decideCase(
  state: AccountState,
  id: CaseId,
  { outcome, text, change }: CaseVerdict,
  decider: CaseDecider,
  now: number,
): AccountStreamEvent[] {
  const found = changeable(state, id)
  const given = change && fitting(found, change)
  const made = given && standsStill(state, found) ? changeEvents(state, found, text, decider, now) : []
  const appended = made.map((event): AppendedEvent<AccountStreamEvent> => ({ ...event, at: now, revision: -1 }))
  const after = fold(accountStateDecider, appended, state)
  const record = given ? Object.fromEntries(Object.entries(given)) : null
  return [...made, ...recordDecision(after, id, { outcome, text, change: record }, made.length, now)]
}

/** The change that each kind of decision may have. */
function fitting({ subject: { kind, finding } }: Case, change: CaseChange): CaseChange {
  const isFitting = (): boolean => {
    switch (kind) {
      case 'rejection':
        return change.payout === 'approved'
      case 'breach':
        return finding === null ? change.breach === 'corrected' : change.finding === 'dismissed'
      case 'pass':
        return change.finding === 'confirmed'
      case 'hold':
        return change.hold === 'released'
      case 'closing':
        return false
    }
  }
  if (isFitting()) return change
  throw new Refused('invalid', 'This is no change of what the case is about', 'change')
}

function decisionOf({ cases }: AccountState, { decision }: Case): Objectable | undefined {
  return cases.decisions.get(decision.revision)
}

function standsStill(state: AccountState, found: Case): boolean {
  return decisionOf(state, found)?.undoneBy === null
}

function changeEvents(
  state: AccountState,
  { subject: { kind, payout, finding, status } }: Case,
  text: string,
  { approver, confirmer, breach, isBanned }: CaseDecider,
  now: number,
): AccountStreamEvent[] {
  switch (kind) {
    case 'rejection': {
      if (!payout) return []
      const events = approvePayout(state, payout, { notes: text, approver, now })
      if (events.some(({ type }) => type === 'PayoutFirstApproved'))
        throw new Refused('conflict', 'Two members of staff have to approve this payout first, at Payouts.', 'change')
      return events
    }
    case 'hold':
      return payout ? holdPayout(state, payout, null) : []
    case 'breach': {
      if (!finding)
        return changeByStaff(
          state,
          { status: status ?? 'active' },
          { reason: text, corrects: breach },
          null,
          now,
          isBanned,
        )
      const reopened = reopenFinding(state, finding)
      return [...reopened, ...dismissFinding(reopenedState(state, reopened, now), finding, text, breach, isBanned)]
    }
    case 'pass': {
      if (!finding) return []
      const reopened = reopenFinding(state, finding)
      return [...reopened, ...confirmFinding(reopenedState(state, reopened, now), finding, confirmer)]
    }
    case 'closing':
      return []
  }
}

function reopenedState(state: AccountState, reopened: readonly AccountStreamEvent[], now: number): AccountState {
  return fold(
    accountStateDecider,
    reopened.map((event): AppendedEvent<AccountStreamEvent> => ({ ...event, at: now, revision: -1 })),
    state,
  )
}
