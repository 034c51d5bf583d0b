import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { leafText } from './signed-texts.ts'
import { sealedEventOf } from './stored-event-bytes.ts'
import type { TransparencyLog } from './transparency-log.ts'
import { toBase64 } from './tree-checkpoint.ts'

/**
 * The receipt of one event: a C2SP tlog-proof (c2sp.org/tlog-proof) under the newest tree checkpoint. Its extra data is
 * the entry of the event, with hashes in place of data and metadata.
 *
 * @returns undefined while no checkpoint covers the event.
 */
export async function receiptOf(event: StoredEvent, log: TransparencyLog): Promise<string | undefined> {
  const newest = await log.newest()
  if (!newest) return undefined
  const [index] = await log.indexesOf([event], newest.size)
  if (index === undefined) return undefined
  const path = await log.pathOf(index, newest.size)
  return formatReceipt(leafText(sealedEventOf(event)), index, path, newest.note)
}

export const RECEIPT = 'c2sp.org/tlog-proof@v1'

/** A receipt for an entry at an index of the tree, with its inclusion path. */
export function formatReceipt(entry: string, index: number, path: readonly Uint8Array[], note: string): string {
  return [
    RECEIPT,
    `extra ${Buffer.from(entry).toString('base64')}`,
    `index ${index}`,
    ...path.map(toBase64),
    '',
    note,
  ].join('\n')
}
