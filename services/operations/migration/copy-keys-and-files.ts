import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import type { EventStore, StoredEvent } from '../../../infra/event-store/event-store.ts'
import type { FileStore } from '../../../infra/file-store/file-store.ts'
import type { KeyStore, StoredKey } from '../../../infra/key-store/key-store.ts'
import { userId } from '../../domain/ids.ts'
import { INSTALLATION_KEY_ID, isEarlierRoot, ROOT_KEY_ID } from '../../keys/root-secret.ts'
import { personIdOf } from '../../domain/streams.ts'
import { userFilesPrefix } from '../../use-cases/user-deletion.ts'
import { sealSchema, type PublishedSeals } from '../../proof/published-seals.ts'
import { readLeaves } from '../../proof/sealer.ts'
import { CopyMismatch } from './copy-log.ts'

/** What a log leans on beside itself: whose keys, which files, which seals. Gathered while its facts pass by. */
export class ReferencedArtifacts {
  readonly personIds = new Set<string>()
  readonly files: ReferencedFile[] = []
  readonly seals: number[] = []

  /** Takes notice of a fact. */
  add({ stream, type, data }: StoredEvent): void {
    const person = personIdOf(stream)
    if (person !== undefined) this.personIds.add(person)
    if (type === 'CertificateIssued' && person !== undefined) this.files.push({ ...issued.parse(JSON.parse(data)), person })
    if (type === 'FactsSealed') this.seals.push(sealSchema.parse(JSON.parse(data)).number)
  }
}

export interface ReferencedFile {
  readonly person: string
  readonly file: string
  readonly size: number
  readonly sha256: string
}

const issued = z.object({ file: z.string(), size: z.int(), sha256: z.string() })

/** The name of a key that seals are signed with. */
const sealingKey = (number: number) => `sealing.${number}`

/**
 * Copies the keys that an installation makes for itself when it finds none: before anybody begins to work with the copy. Where the
 * master key was exchanged since they were copied, the copy is sealed by the new one as well.
 *
 * @throws {CopyMismatch} when the copy is of another installation, or its master key was exchanged there.
 */
export async function copyInstallationKeys(source: KeyStore, copy: KeyStore): Promise<number> {
  const keys = await copyKeysById([INSTALLATION_KEY_ID], source, copy)
  const [root, there] = [(await source.get([ROOT_KEY_ID])).get(ROOT_KEY_ID), (await copy.get([ROOT_KEY_ID])).get(ROOT_KEY_ID)]
  if (!root || root === 'destroyed') return keys
  const kept = there ?? (await copy.add(ROOT_KEY_ID, root.wrapped))
  if (kept === 'destroyed') throw new CopyMismatch('The root secret was destroyed in the copy')
  const isDone = isSameKey(root, kept) || (isEarlierRoot(kept.wrapped, root.wrapped) && (await copy.replace(ROOT_KEY_ID, kept.wrapped, root.wrapped)))
  if (!isDone) throw new CopyMismatch('The root secret is another one in the copy, or its master key was exchanged there')
  return keys + 1
}

/**
 * Copies the keys of everybody whom a log is about, wrapped as they are; of somebody erased the copy knows that, too. Keys are
 * made before the first fact that needs them: they are copied after the log.
 *
 * @throws {CopyMismatch} when the copy has another key of the same name.
 */
export async function copyKeys(source: KeyStore, copy: KeyStore, persons: Iterable<string>): Promise<{ keys: number; destroyed: ReadonlySet<string> }> {
  const destroyed = new Set<string>()
  let keys = source === copy ? 0 : await copyInstallationKeys(source, copy)
  for (let number = 1, found; (found = await copyKeysById([sealingKey(number)], source, copy)) > 0; number++) keys += found
  const all = [...persons]
  for (let next = 0; next < all.length; next += 500) keys += await copyKeysById(all.slice(next, next + 500), source, copy, (id) => destroyed.add(id))
  return { keys, destroyed }
}

async function copyKeysById(ids: readonly string[], source: KeyStore, copy: KeyStore, onDestroyed: (id: string) => void = () => {}): Promise<number> {
  const [found, there] = [await source.get(ids), await copy.get(ids)]
  for (const [id, key] of found) {
    if (key === 'destroyed') {
      onDestroyed(id)
      if (there.get(id) !== 'destroyed') await copy.destroy(id)
    } else {
      const kept = there.get(id) ?? (await copy.add(id, key.wrapped))
      if (!isSameKey(key, kept)) throw new CopyMismatch(`The key of ${id} is another one in the copy`)
    }
  }
  return found.size
}

function isSameKey(one: StoredKey, other: StoredKey): boolean {
  return one !== 'destroyed' && other !== 'destroyed' && Buffer.compare(one.wrapped, other.wrapped) === 0
}

/**
 * Copies the files that a log names, each held against the size and the SHA-256 in its fact. Of somebody erased nothing is
 * copied, and what was copied before goes. Answers the names of files that should be there and are not, or are not as recorded.
 */
export async function copyFiles(
  source: FileStore,
  copy: FileStore,
  files: readonly ReferencedFile[],
  destroyed: ReadonlySet<string>,
): Promise<{ files: number; missing: readonly string[] }> {
  const missing: string[] = []
  let copied = 0
  for (const kept of files) {
    const { file, person } = kept
    if (destroyed.has(person)) {
      await copy.removeAll(userFilesPrefix(userId.parse(person)))
      continue
    }
    if (!(await contentOf(copy, kept))) {
      const content = await contentOf(source, kept)
      if (!content) {
        missing.push(file)
        continue
      }
      await copy.put(file, content, 'application/pdf')
      if (!(await contentOf(copy, kept))) throw new CopyMismatch(`${file} is not the same in the copy`)
    }
    copied += 1
  }
  return { files: copied, missing }
}

/** The file, if it is there and what its fact says. */
async function contentOf(store: FileStore, { file, size, sha256 }: ReferencedFile): Promise<Buffer | undefined> {
  const found = await store.get(file)
  if (!found) return undefined
  if (found.size !== size) return void found.content.destroy()
  const content = await buffer(found.content)
  return createHash('sha256').update(content).digest('hex') === sha256 ? content : undefined
}

/** Copies the seals that are in the log as they are kept outside of it; one that is not, yet, is made up for by whoever seals next. */
export async function copySeals(source: PublishedSeals, copy: PublishedSeals, numbers: readonly number[], log: EventStore): Promise<number> {
  let copied = 0
  for (const number of numbers) {
    const seal = await source.seal(number)
    if (!seal) continue
    const there = await copy.seal(number)
    if (there && JSON.stringify(there) !== JSON.stringify(seal)) throw new CopyMismatch(`Seal ${number} is another one in the copy`)
    if (!there) await copy.publish(seal, (await source.leaves(number)) ?? (await readLeaves(log, seal)))
    copied += 1
  }
  return copied
}
