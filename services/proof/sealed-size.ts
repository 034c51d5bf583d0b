import type { KeyStore, StoredKey } from '#infra/key-store/key-store.ts'
import { decryptIfAuthentic, encrypt } from '#services/event-sourcing/crypto-shredding/cipher.ts'

/** The row of the key store that says how many events were sealed. */
export const SEALED_SIZE_ID = 'sealed'

/** Another worker may write the row at the same time. */
const TRIES = 3

/** The length of the sealed log, as the key store has it. */
export interface SealedLength {
  /** So many events were sealed. */
  readonly size: number
  /** So often the log had been set back before. */
  readonly restorations: number
}

/**
 * How many events were sealed, as the key store knows it. A log that was set back alone is noticed there, whatever was
 * published. The numbers are encrypted like a key. The row is there before the first sealing key is, so where that is
 * and the row is not, someone removed it: nothing is started and nothing sealed.
 */
export type SealedSize = ReturnType<typeof createSealedSize>

/** @param secrets Have the wrapping key, which is unknown until the root secret is unwrapped. */
export function createSealedSize(
  store: Pick<KeyStore, 'get' | 'add' | 'replace'>,
  secrets: { readonly wrappingKey: Uint8Array },
  { onForgedRow = () => {} }: { readonly onForgedRow?: (id: string) => void } = {},
) {
  const find = async () => (await store.get([SEALED_SIZE_ID])).get(SEALED_SIZE_ID)

  const lengthIn = ({ wrapped, isDestroyed }: StoredKey): SealedLength | undefined => {
    const content = isDestroyed ? undefined : decryptIfAuthentic(secrets.wrappingKey, wrapped, SEALED_SIZE_ID)
    if (content) return { size: Number(content.readBigUInt64BE()), restorations: content.readUInt32BE(8) }
    onForgedRow(SEALED_SIZE_ID)
    return undefined
  }

  /** A row that the portal did not write stays, as evidence. @throws {Unavailable} */
  const write = async ({ size, restorations }: SealedLength): Promise<void> => {
    const content = Buffer.alloc(12)
    content.writeBigUInt64BE(BigInt(size))
    content.writeUInt32BE(restorations, 8)
    const wrapped = encrypt(secrets.wrappingKey, content, SEALED_SIZE_ID)
    for (let tries = 0; tries < TRIES; tries++) {
      const row = await find()
      // A row that another worker adds at the same time is replaced.
      if (!row) await store.add(SEALED_SIZE_ID, wrapped)
      else if (!lengthIn(row) || (await store.replace(SEALED_SIZE_ID, row.wrapped, wrapped))) return
    }
  }

  return {
    /** Undefined where there is no row, or one that the portal did not write. @throws {Unavailable} */
    async read(): Promise<SealedLength | undefined> {
      const row = await find()
      return row && lengthIn(row)
    },

    /** To be called before the first sealing key is made: from then on a missing row is a lost one. @throws {Unavailable} */
    async begin(): Promise<void> {
      if (!(await find())) await write({ size: 0, restorations: 0 })
    },

    write,
  }
}
