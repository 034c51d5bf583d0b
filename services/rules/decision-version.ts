/**
 * The versions of the decisions and of the rule engine. Each event says under which it was decided, and is judged by
 * that version for ever: what an earlier release decided stays as it was.
 */

/** That of this program. Events of 0.2.0 do not name theirs: it is 1. */
export const DECISION_VERSION = 2

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
  } as const
}
