import { type Position, toPosition } from '../../infra/event-store/event-store.ts'
import type { KeyStore, StoredKey } from '../../infra/key-store/key-store.ts'
import { decrypt, encrypt } from '../event-sourcing/crypto-shredding/cipher.ts'
import type { Secrets } from './derived-secrets.ts'

/** The entry of the key store with the position up to which events need no MAC. In the log, someone could change it. */
export const ADOPTION_KEY_ID = 'log-adoption'

/** How long a log that is not adopted is taken for one, in ms: another process may adopt it. */
const RECHECK_AFTER = 1_000

/** Up to where the events of a log are accepted without a MAC: they are from before MACs. A new log accepts none. */
export type LogAdoption = ReturnType<typeof createLogAdoption>

/** `now` is monotonic, in ms. */
export function createLogAdoption(store: KeyStore, secrets: Pick<Secrets, 'wrappingKey'>, now = () => performance.now()) {
  let adopted: Position | undefined
  let checkedAt = Number.NEGATIVE_INFINITY

  const unwrap = (stored: StoredKey): Position => {
    if (stored === 'destroyed') throw new Error(`The key '${ADOPTION_KEY_ID}' is destroyed in the key store, which must never happen`)
    adopted = toPosition(decrypt(secrets.wrappingKey, stored.wrapped, ADOPTION_KEY_ID).toString())
    return adopted
  }

  return {
    /** Undefined while the log is not adopted: then all events are accepted without a MAC. */
    async position(): Promise<Position | undefined> {
      if (adopted !== undefined || now() - checkedAt < RECHECK_AFTER) return adopted
      const stored = (await store.get([ADOPTION_KEY_ID])).get(ADOPTION_KEY_ID)
      if (stored) return unwrap(stored)
      checkedAt = now()
      return undefined
    },
    /** Adopts the log up to a position, once. Returns the position of the first adoption. */
    adopt: async (position: Position): Promise<Position> => unwrap(await store.add(ADOPTION_KEY_ID, encrypt(secrets.wrappingKey, position, ADOPTION_KEY_ID))),
  }
}
