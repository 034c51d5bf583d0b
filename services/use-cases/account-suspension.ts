import type { SessionStore } from '../../infra/session-store/session-store.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import { users } from '../domain/streams.ts'

/**
 * Suspends the sessions of who is banned, and lifts that of who is not any more. The command does so and the worker after
 * it; the slower of them may have written what was decided before, so each looks again once it has written.
 */
export async function syncSuspension(
  id: string,
  { repositories, sessions }: { readonly repositories: Repositories; readonly sessions: SessionStore },
): Promise<void> {
  const people = repositories.of(users)
  let { ban } = (await people.load(id)).state
  for (;;) {
    await sessions.suspend('trader', id, ban)
    const { state } = await people.load(id)
    if (state.ban?.reason === ban?.reason) return
    ban = state.ban
  }
}
