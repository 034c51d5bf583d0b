import { z } from 'zod'
import { Unavailable } from '#infra/failures.ts'
import type { Snapshots } from '#services/event-sourcing/aggregate-repository.ts'
import type { AuthenticRecords } from './authentic-records.ts'

const ofStream = z.looseObject({ stream: z.string() })

/** Keeps the folded state of the stream of seals, the only one that grows for ever, in a record with a MAC. */
export function createSealSnapshots(records: Pick<AuthenticRecords, 'read' | 'write'>): Snapshots {
  return {
    async read(stream) {
      const found = await unlessUnavailable(records.read('seals', ofStream))
      return typeof found === 'object' && found.stream === stream ? found : undefined
    },
    write: (stream, snapshot) => unlessUnavailable(records.write('seals', { ...snapshot, stream })),
  }
}

/** Without it, the stream is folded from its beginning. */
async function unlessUnavailable<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Unavailable) return undefined
    throw error
  }
}
