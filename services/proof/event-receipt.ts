import type { StoredEvent } from '../../infra/event-store/event-store.ts'
import { leafText } from './signed-texts.ts'
import { sealedEventOf } from './stored-event-bytes.ts'
import type { TransparencyLog } from './transparency-log.ts'

/**
 * The receipt of one event: a C2SP tlog-proof (c2sp.org/tlog-proof) under the newest tree checkpoint. Its extra data is the
 * entry of the event, with hashes in place of data and metadata.
 *
 * @returns undefined while no checkpoint covers the event.
 */
export async function receiptOf(event: StoredEvent, log: TransparencyLog): Promise<string | undefined> {
  const newest = await log.newest()
  if (!newest) return undefined
  const [index] = await log.indexesOf([event], newest.size)
  if (index === undefined) return undefined
  const path = await log.pathOf(index, newest.size)
  const extra = Buffer.from(leafText(sealedEventOf(event))).toString('base64')
  return ['c2sp.org/tlog-proof@v1', `extra ${extra}`, `index ${index}`, ...path.map((hash) => hash.toString('base64')), '', newest.note].join('\n')
}
