import { randomUUID } from 'node:crypto'
import type { KeyStore } from '#infra/key-store/key-store.ts'
import { INSTALLATION_ID, recordRotation, installationStreams } from '#services/framework/streams/installation.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { type Context, systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { rewrapRootSecret, type UnwrappedRoot, unwrapRootSecret } from '#services/process/keys/root-secret.ts'
import { type MasterKeySource, unwrapRootFrom } from '#services/process/keys/master-key-candidates.ts'

/**
 * Rotates the master key: wraps the same root secret with another key, in one atomic step. Running processes go on;
 * later starts need the new key. After an interruption it may be repeated.
 *
 * @returns false when the root secret is wrapped by the new key already.
 * @throws {Refused} when there is no other key, or another process rotated it at the same time.
 */
export async function rotateMasterKey(parts: {
  keyStore: KeyStore
  repositories: Repositories
  masterKey: MasterKeySource
}): Promise<boolean> {
  const { keyStore, repositories, masterKey } = parts
  const root = (await unwrapRootFrom(keyStore, masterKey)) ?? throwRotatedByOthers()
  const next = await masterKey.next(root.masterKey)
  if (next === root.masterKey) return false
  if (!(await rewrapRootSecret(keyStore, root, next))) throwRotatedByOthers()
  // The old key is removed only after the new one has unwrapped what is stored.
  const stored = (await unwrapRootSecret(keyStore, [next])) ?? throwRotatedByOthers()
  await masterKey.confirm(next)
  await recordRotations(repositories, stored, systemContext('command line', randomUUID()))
  return true
}

/** Records every rotation of the master key in the log, also one that was interrupted before it was recorded. */
export async function recordRotations(
  repositories: Repositories,
  { rotations }: Pick<UnwrappedRoot, 'rotations'>,
  context: Context,
): Promise<void> {
  if (rotations === 0) return
  const installation = repositories.of(installationStreams)
  if ((await installation.load(INSTALLATION_ID)).state.rotations < rotations)
    await installation.decide(INSTALLATION_ID, context, (state) => recordRotation(state, rotations))
}

function throwRotatedByOthers(): never {
  throw new Refused(
    'conflict',
    'Another process rotated the master key at the same time. Find out which key is valid now, and run this again if necessary',
  )
}
