import { setImmediate as turn } from 'node:timers/promises'
import type { EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import type { KeyStore } from '#infra/key-store/key-store.ts'
import { BadConfiguration } from '#services/process/config.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { isOfSomePortal } from '#services/event-sourcing/codec/event-authentication.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { hasPersonalFields } from '#services/event-sourcing/event-registry.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { INSTALLATION_KEY_ID, ROOT_KEY_ID } from '#services/process/keys/root-secret.ts'
import { staffFactors } from '#services/identity/second-factors/second-factor.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { adminKeys } from '#services/identity/staff/member-read-model.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { nameOfEvent } from '#services/proof/log-finding.ts'
import { SEALS_STREAM } from '#services/proof/seal.ts'
import { sealingKeyId } from '#services/proof/seal-signing.ts'

/**
 * The rows of the key store without which a log is not gone on with: another key in place of a lost one would hide the
 * loss. docs/decisions/042-authentic-rows.md
 */

/** The portal does not start, or goes on, without these keys. */
export function missingKeysError(ids: readonly string[]): BadConfiguration {
  const shown = ids.slice(0, 3).map((id) => `'${id}'`)
  const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : ''
  return new BadConfiguration(
    `The key store (MONGODB_URL, or keys.sqlite in DATA_DIR) lacks ${ids.length === 1 ? 'the key' : 'the keys'} ${shown.join(', ')}${more}, or holds rows in their place that the portal did not write. The event log needs them, so the portal does not start. Restore the key store from the newest backup: docs/operate.md, "Keys that are missing"`,
  )
}

/**
 * The keys of the installation exist before its first event.
 *
 * @param eventStore As it is, not authenticated: that takes the keys.
 * @throws {BadConfiguration} naming those that are missing, or the event of another program in a log without ours.
 */
export async function assertInstallationKeys(
  eventStore: Pick<EventStore, 'subscribe'>,
  keyStore: Pick<KeyStore, 'get'>,
): Promise<void> {
  const missing = async () => {
    const ids = [ROOT_KEY_ID, INSTALLATION_KEY_ID]
    const found = await keyStore.get(ids)
    return ids.filter((id) => !found.has(id))
  }
  if ((await missing()).length === 0) return
  const first = await firstEvent(eventStore)
  if (!first) return
  if (!isOfSomePortal(first))
    throw new BadConfiguration(
      `The event log (EVENTSTORE_URL, or events.sqlite in DATA_DIR) holds ${nameOfEvent(first)}, which no portal recorded, and no event of a portal, so the portal does not start. Give it a log in which no other program writes to streams with such names`,
    )
  // Another process may have created the keys and the first event between the two readings.
  const lost = await missing()
  if (lost.length > 0) throw missingKeysError(lost)
}

/** The first event that a portal recorded, else the first of all. */
async function firstEvent(eventStore: Pick<EventStore, 'subscribe'>): Promise<StoredEvent | undefined> {
  let first: StoredEvent | undefined
  for await (const { events } of readLog(eventStore))
    for (const event of events) {
      if (isOfSomePortal(event)) return event
      first ??= event
    }
  return first
}

/** The first sealing key exists before the first seal. @throws {BadConfiguration} when it is missing. */
export async function assertFirstSealingKey(
  eventStore: Pick<EventStore, 'readStream'>,
  personKeys: Pick<PersonKeys, 'keyOf'>,
): Promise<void> {
  for await (const [first] of eventStore.readStream(SEALS_STREAM, 0, 1)) {
    // The log may have been restored before anything was sealed.
    if (first?.type === 'LogRestored') continue
    const id = sealingKeyId(1)
    if (first && !(await personKeys.keyOf(id))) throw missingKeysError([id])
    return
  }
}

export interface LaterKeys {
  readonly eventStore: Pick<EventStore, 'readStream'>
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly readModels: Pick<ReadModels, 'find'>
  /** How many sealing keys the log introduced. */
  readonly sealingKeys: number
}

/** Users looked up before the portal is ready, and after it at once, so that no request waits long for it. */
const FIRST = 200
const AT_ONCE = 100
/** More than any firm has. */
const MOST_STAFF = 1_000

/**
 * Every sealing key that the log introduced, and the keys of users and of members of staff with a second factor, are in
 * the key store and were written by the portal. A large firm has more users than a start can wait for: the returned
 * check, undefined where none are left, is for the rest.
 *
 * @throws {BadConfiguration} naming those that are missing; the check for the rest rejects with it.
 */
export async function assertLaterKeys(
  { eventStore, personKeys, readModels, sealingKeys }: LaterKeys,
  first = FIRST,
): Promise<((signal: AbortSignal) => Promise<void>) | undefined> {
  const lost = async (ids: readonly string[]) => {
    const found = await personKeys.get(ids)
    return ids.filter((id) => !found.has(id))
  }
  const page = async (limit: number, cursor?: string) => {
    const { documents, next } = await readModels.find(users, { limit, ...(cursor !== undefined && { cursor }) })
    const missing: string[] = []
    // A row that stands for no user, which someone else wrote, lacks no key.
    for (const id of await lost(documents.map(({ id }) => id)))
      if (await isPersonal(streamName(userStreams, id), eventStore)) missing.push(id)
    return { missing, next }
  }
  const missing = await lost(Array.from({ length: sealingKeys }, (_, n) => sealingKeyId(n + 1)))
  const { documents: staff } = await readModels.find(adminKeys, { limit: MOST_STAFF })
  // A member gets a key with the first second factor.
  for (const id of await lost(staff.map(({ id }) => id)))
    if (await isPersonal(streamName(staffFactors, id), eventStore)) missing.push(id)
  const firstUsers = await page(first)
  missing.push(...firstUsers.missing)
  if (missing.length > 0) throw missingKeysError(missing)

  const { next } = firstUsers
  if (next === undefined) return undefined
  return async (signal) => {
    const found: string[] = []
    for (let cursor: string | undefined = next; cursor !== undefined && !signal.aborted; await turn()) {
      const following = await page(AT_ONCE, cursor)
      found.push(...following.missing)
      cursor = following.next
    }
    if (found.length > 0) throw missingKeysError(found)
  }
}

/** Whether a stream holds fields that only its person's key decrypts. */
async function isPersonal(stream: string, eventStore: Pick<EventStore, 'readStream'>): Promise<boolean> {
  for await (const page of eventStore.readStream(stream))
    if (page.some(({ type }) => hasPersonalFields(eventRegistry, type))) return true
  return false
}
