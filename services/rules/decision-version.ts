/**
 * The versions of the decisions and of the rule engine. Each event says under which it was decided, and is judged by
 * that version for ever: what an earlier release decided stays as it was.
 */

/**
 * That of this program. Events of 0.2.0 do not name theirs: it is 1. The rules of a stage are those of the version under
 * which it began, until it ends: what was found in it stays found.
 */
export const DECISION_VERSION = 4

/**
 * Returns the differences of a version: each is named here, and decided by the same code.
 *
 * @param version The version of the event that was decided, or of this program for a new one.
 */
export function decisionRules(version: number = DECISION_VERSION) {
  return {
    /** An account may be closed while staff have not decided its pass. */
    closesWithWaitingPass: version < 2,
    /** The rules alone may decide what they find only because of rows that are older than the stage. */
    decidesOnOlderRows: version < 2,
    /** The cause of a breach, and what is available for a payout, follow from a floor that is rounded up. */
    roundsFloorsUp: version < 3,
    /** A day on which a trade was opened counts only from the first observation of the stage on. */
    countsOpenedFromFirstObservation: version < 3,
    /** A target is shown without the profit that is excluded. */
    showsTargetsWithoutExcluded: version < 4,
    /** A payout keeps away from the floors of all rules, also from those that do not breach. */
    payoutsKeepFromEveryFloor: version < 4,
    /** A pending account becomes active with a login alone: without platform, server or password. */
    activatesByLoginAlone: version < 4,
  } as const
}
export type DecisionRules = ReturnType<typeof decisionRules>
