import { fold } from '#services/event-sourcing/decider.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { UserId } from '#services/framework/ids.ts'
import { userStreams } from '#services/identity/users/user.ts'
import type { ReportForgedRow } from '#services/process/forged-rows.ts'

/**
 * Compares what a page showed to staff with what the log says. Pages come from read models, and whoever can write to
 * these must not make staff decide on something else than what is decided.
 */

/** Whether the log says what was seen: now, only before now, or never. */
export type Said = 'now' | 'before' | 'never'

/**
 * Refuses a decision on what the log does not say now. What it never said raises the alarm.
 *
 * @param about Names the document in the alarm, like 'payouts trader01-a1-p1'.
 * @throws {Refused} conflict
 */
export function assertSaid(said: readonly Said[], about: string, report: ReportForgedRow): void {
  if (said.includes('never')) {
    report('read models', about)
    throw new Refused(
      'conflict',
      'The page showed something that was never recorded, so nothing was decided. Someone has changed what this portal shows: tell who runs it, and follow docs/broken-proof.md.',
    )
  }
  if (said.includes('before'))
    throw new Refused('conflict', 'What the page showed has changed meanwhile. Look at it again before you decide.')
}

/** Whether a user has a name, or had it. */
export async function nameSaid(repositories: Repositories, id: UserId, name: string): Promise<Said> {
  const users = repositories.of(userStreams)
  if ((await users.load(id)).state.fullName === name) return 'now'
  let user = userStreams.decider.initial
  for await (const event of users.readEvents(id)) {
    user = fold(userStreams.decider, [event], user)
    if (user.fullName === name) return 'before'
  }
  return 'never'
}
