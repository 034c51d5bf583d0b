import type { SessionStore } from '#infra/session-store/session-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { userStreams } from '../user.ts'

/**
 * Suspends the sessions of a banned user, and lifts the suspension once the ban is lifted. The command does so and then
 * the worker; the slower one may have written an older decision, so each checks again after writing.
 */
export async function syncSuspension(
  id: string,
  { repositories, sessions }: { readonly repositories: Repositories; readonly sessions: SessionStore },
): Promise<void> {
  const user = repositories.of(userStreams)
  let { ban } = (await user.load(id)).state
  for (;;) {
    await sessions.suspend('trader', id, ban)
    const { state } = await user.load(id)
    if (state.ban?.reason === ban?.reason) return
    ban = state.ban
  }
}
