import type { Log } from '#services/event-sourcing/process-log.ts'
import type { AuthenticRecords } from './authentic-records.ts'
import { afterAsking, afterSealing, allSealed, type SealingRecord, sealingRecord } from './sealing-record.ts'

/** A record that says the same is written again after so long, in ms: someone may have removed it. */
const WRITTEN_AGAIN_MS = 60_000

/** Notes how sealing and the requests to witnesses go, for all processes. A note that can't be written delays nothing. */
export type SealingWatch = ReturnType<typeof createSealingWatch>

export interface SealingWatchDependencies {
  readonly records: AuthenticRecords
  /** The names of the witnesses that are asked. Of others nothing is kept. */
  readonly witnesses: readonly string[]
  readonly log: Pick<Log, 'warn'>
  readonly now: () => number
}

export function createSealingWatch({ records, witnesses, log, now }: SealingWatchDependencies) {
  /** Undefined until the record of before is read. */
  let record: SealingRecord | undefined
  let writtenAt = -Infinity
  let work = Promise.resolve()

  const update = async (change: (before: SealingRecord) => SealingRecord): Promise<void> => {
    const before = record ?? (await readBefore())
    const after = change(before)
    record = after
    const isNews = JSON.stringify(after) !== JSON.stringify(before)
    if (!isNews && now() - writtenAt < WRITTEN_AGAIN_MS) return
    await records.write('sealing', after)
    writtenAt = now()
  }

  const readBefore = async (): Promise<SealingRecord> => {
    const found = await records.read('sealing', sealingRecord)
    if (found === undefined || found === 'altered') return allSealed
    return { ...found, witnesses: found.witnesses.filter(({ name }) => witnesses.includes(name)) }
  }

  /** One after another. */
  const note = (change: (before: SealingRecord) => SealingRecord): void => {
    work = work
      .then(() => update(change))
      .catch((error: unknown) => log.warn({ err: error }, 'How sealing goes could not be noted'))
  }

  return {
    /** The log was sealed, or could not be. */
    sealed: (error?: unknown) => note((before) => afterSealing(before, errorOf(error), now())),
    /** A witness has cosigned, or has not. */
    asked: (name: string, error?: unknown) =>
      note((before) => afterAsking(before, { name, error: errorOf(error) }, now())),
    /** Resolves when all is written. */
    ended: () => work,
  }
}

function errorOf(error: unknown): Error | undefined {
  return error === undefined || error instanceof Error ? error : new Error(String(error))
}
