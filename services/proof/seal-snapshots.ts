import { z } from 'zod'
import { unlessFails } from '#infra/failures.ts'
import type { Snapshots } from '#services/event-sourcing/aggregate-repository.ts'
import type { AuthenticRecords } from './authentic-records.ts'

const ofStream = z.looseObject({ stream: z.string() })

/**
 * Keeps the folded state of the stream of seals, the only one that grows for ever, in a record with a MAC. Without it,
 * the stream is folded from its beginning.
 */
export function createSealSnapshots(records: Pick<AuthenticRecords, 'read' | 'write'>): Snapshots {
  return {
    async read(stream) {
      const found = await unlessFails(records.read('seals', ofStream))
      return typeof found === 'object' && found.stream === stream ? found : undefined
    },
    write: (stream, snapshot) => unlessFails(records.write('seals', { ...snapshot, stream })),
  }
}
