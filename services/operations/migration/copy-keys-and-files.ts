import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { KeyStore, StoredKey } from '#infra/key-store/key-store.ts'
import type { EventRegistry } from '#services/event-sourcing/event-registry.ts'
import { userId } from '#services/framework/ids.ts'
import { INSTALLATION_KEY_ID, isEarlierRoot, ROOT_KEY_ID } from '#services/process/keys/root-secret.ts'
import { sealEvents } from '#services/proof/seal.ts'
import { userFilesPrefix } from '#services/trading/certificates/server/certificate-files.ts'
import { sealingKeyId } from '#services/proof/seal-signing.ts'
import { CopyMismatch } from './copy-log.ts'

/** The persons, files and checkpoints that a log refers to, collected from its events. */
export class ReferencedArtifacts {
  readonly personIds = new Set<string>()
  readonly files: ReferencedFile[] = []
  /** The sizes of the tree checkpoints. */
  readonly checkpoints: number[] = []
  /** How often the log was set back. */
  restorations = 0

  constructor(private readonly registry: Pick<EventRegistry, 'personIdOf'>) {}

  add({ stream, type, data }: StoredEvent): void {
    const person = this.registry.personIdOf(stream)
    if (person !== undefined) this.personIds.add(person)
    if (type === 'CertificateIssued' && person !== undefined)
      this.files.push({ ...issued.parse(JSON.parse(data)), person })
    if (type === 'LogRestored') this.restorations += 1
    if (type === 'TreeCheckpointSigned')
      this.checkpoints.push(sealEvents.TreeCheckpointSigned.schema.parse(JSON.parse(data)).size)
  }
}

const issued = z.object({ file: z.string(), size: z.int(), sha256: z.string() })
export type ReferencedFile = z.infer<typeof issued> & { readonly person: string }

/**
 * Copies the keys that an installation creates when it has none, before anyone can start the copy. If the master key
 * was rotated since an earlier copy, the copied root secret is replaced too.
 *
 * @throws {CopyMismatch} when the copy is of another installation, or its master key was rotated there.
 */
export async function copyInstallationKeys(source: KeyStore, copy: KeyStore): Promise<number> {
  const keys = await copyKeysById([INSTALLATION_KEY_ID], source, copy)
  const [root, existing] = [
    (await source.get([ROOT_KEY_ID])).get(ROOT_KEY_ID),
    (await copy.get([ROOT_KEY_ID])).get(ROOT_KEY_ID),
  ]
  if (!root || root.isDestroyed) return keys
  const copied = existing ?? (await copy.add(ROOT_KEY_ID, root.wrapped))
  if (copied.isDestroyed) throw new CopyMismatch('The root secret was destroyed in the copy')
  const isDone =
    isSameKey(root, copied) ||
    (isEarlierRoot(copied.wrapped, root.wrapped) && (await copy.replace(ROOT_KEY_ID, copied.wrapped, root.wrapped)))
  if (!isDone)
    throw new CopyMismatch('The root secret of the copy is a different one, or its master key was rotated there')
  return keys + 1
}

/**
 * Copies the wrapped keys of all persons in a log; erased persons are erased in the copy too. A key is older than the
 * first event that needs it, so keys are copied after the log.
 *
 * @throws {CopyMismatch} when the copy has a different key under the same name.
 */
export async function copyKeys(
  source: KeyStore,
  copy: KeyStore,
  persons: Iterable<string>,
): Promise<{ keys: number; destroyed: ReadonlySet<string> }> {
  const destroyed = new Set<string>()
  let keys = source === copy ? 0 : await copyInstallationKeys(source, copy)
  for (let number = 1, found; (found = await copyKeysById([sealingKeyId(number)], source, copy)) > 0; number++)
    keys += found
  const all = [...persons]
  for (let next = 0; next < all.length; next += 500)
    keys += await copyKeysById(all.slice(next, next + 500), source, copy, (id) => destroyed.add(id))
  return { keys, destroyed }
}

async function copyKeysById(
  ids: readonly string[],
  source: KeyStore,
  copy: KeyStore,
  onDestroyed: (id: string) => void = () => {},
): Promise<number> {
  const [found, existing] = [await source.get(ids), await copy.get(ids)]
  for (const [id, key] of found) {
    if (key.isDestroyed) {
      onDestroyed(id)
      if (!existing.get(id)?.isDestroyed) await copy.destroy(id, key.wrapped)
    } else {
      const copied = existing.get(id) ?? (await copy.add(id, key.wrapped))
      if (!isSameKey(key, copied)) throw new CopyMismatch(`The key of ${id} is different in the copy`)
    }
  }
  return found.size
}

function isSameKey(a: StoredKey, b: StoredKey): boolean {
  return !a.isDestroyed && !b.isDestroyed && Buffer.compare(a.wrapped, b.wrapped) === 0
}

/**
 * Copies the files that a log names and checks each against the size and SHA-256 in its event. Files of erased persons
 * are not copied, and removed from the copy. Returns the names of files that are missing or not as recorded.
 */
export async function copyFiles(
  source: FileStore,
  copy: FileStore,
  files: readonly ReferencedFile[],
  destroyed: ReadonlySet<string>,
): Promise<{ files: number; missing: readonly string[] }> {
  const missing: string[] = []
  let copied = 0
  for (const reference of files) {
    const { file, person } = reference
    if (destroyed.has(person)) {
      await copy.removeAll(userFilesPrefix(userId.parse(person)))
      continue
    }
    if (!(await contentOf(copy, reference))) {
      const content = await contentOf(source, reference)
      if (!content) {
        missing.push(file)
        continue
      }
      await copy.put(file, content, 'application/pdf')
      if (!(await contentOf(copy, reference))) throw new CopyMismatch(`${file} is not the same in the copy`)
    }
    copied += 1
  }
  return { files: copied, missing }
}

/** The content of a file, if it is as its event records it. */
async function contentOf(store: FileStore, { file, size, sha256 }: ReferencedFile): Promise<Buffer | undefined> {
  const found = await store.get(file)
  if (!found) return undefined
  if (found.size !== size) return void found.content.destroy()
  const content = await buffer(found.content)
  return createHash('sha256').update(content).digest('hex') === sha256 ? content : undefined
}
