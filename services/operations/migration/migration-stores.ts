import { rmSync } from 'node:fs'
import type { Logger } from 'pino'
import type { EventStore } from '../../../infra/event-store/event-store.ts'
import { type Numbering, renumbered } from '../../../infra/event-store/renumbered.ts'
import { type LogCopy, openSqliteLogCopy } from '../../../infra/event-store/sqlite-copy.ts'
import { openDiskFileStore } from '../../../infra/file-store/disk-file-store.ts'
import type { FileStore } from '../../../infra/file-store/file-store.ts'
import type { KeyStore } from '../../../infra/key-store/key-store.ts'
import { openSqliteKeyStore } from '../../../infra/key-store/sqlite-key-store.ts'
import type { Config } from '../../config.ts'
import { Refused } from '../../event-sourcing/refusal.ts'
import { streamPrefixes } from '../../domain/streams.ts'
import { tellDrop } from '../../event-store-logging.ts'
import { nothingOpened } from '../../cleanup.ts'
import { embedded, openFiles, openSealFiles } from '../../composition-root.ts'
import { type SealsOutside, sealsOutside } from '../../proof/published-seals.ts'
import { appendingCopy } from './append-to-server.ts'
import { beginMove, checkGrowing, finishMove, isBegun, NUMBERS_PREFIX } from './original-positions.ts'

/** Where an installation is copied to; what is undefined stays where it is. */
export interface Destination {
  readonly log: LogDestination | undefined
  readonly keys: KeyStore | undefined
  readonly files: FileStore | undefined
  readonly seals: SealsOutside | undefined
  close(): Promise<void>
}

export interface LogDestination extends LogCopy {
  /** @throws {Refused} where another log is. */
  begin(): Promise<void>
  /** Once every fact is there; with the numbers that the facts have where they come from. */
  finish(numbering: Numbering): Promise<void>
  /** The copy as it is read once it is finished. */
  readonly finished: EventStore
  /** Whether it may be made of a log that grows: what comes later is then not in it. */
  readonly isSnapshot: boolean
}

/** A folder that becomes the data folder of an embedded installation. */
export function openFolder(folder: string): Destination {
  const log = openSqliteLogCopy(embedded.events(folder))
  const keys = openSqliteKeyStore(embedded.keys(folder))
  const files = openDiskFileStore(embedded.files(folder))
  const seals = openDiskFileStore(embedded.seals(folder))
  return {
    log: { ...log, begin: async () => {}, finish: async () => {}, finished: log.store, isSnapshot: true },
    keys,
    files,
    seals: sealsOutside(seals),
    async close() {
      for (const store of [log, keys, files, seals]) await store.close()
    },
  }
}

/** The servers that are configured. */
export async function openServices(config: Config, log: Logger): Promise<Destination> {
  const { keep, close } = nothingOpened()
  const eventLog = config.eventStoreUrl === undefined ? undefined : await openServerLog(config.eventStoreUrl, log)
  if (eventLog) keep(eventLog)
  return {
    log: eventLog,
    keys:
      config.mongodbUrl === undefined ? undefined : keep((await import('../../../infra/key-store/mongodb-key-store.ts')).openMongoKeyStore(config.mongodbUrl)),
    files: config.filesBucket && keep(await openFiles(config)),
    seals: config.sealsBucket && sealsOutside(keep(await openSealFiles(config))),
    close,
  }
}

async function openServerLog(url: string, log: Logger): Promise<LogDestination> {
  const { openEventStoreDb } = await import('../../../infra/event-store/eventstoredb-event-store.ts')
  const onDrop = (error: unknown) => tellDrop(log, error)
  const facts = openEventStoreDb(url, { prefixes: streamPrefixes, onDrop })
  const numbers = openEventStoreDb(url, { prefixes: [NUMBERS_PREFIX], onDrop })
  let numbered: Numbering | undefined
  return {
    ...appendingCopy(facts),
    isSnapshot: false,
    async begin() {
      if (!(await isBegun(numbers)) && (await facts.end()) !== '0')
        throw new Refused('conflict', 'EVENTSTORE_URL: there is a log already, of an installation that has begun there')
      await beginMove(numbers)
    },
    async finish(numbering) {
      checkGrowing(numbering)
      await finishMove(numbers, numbering)
      numbered = numbering
    },
    finished: renumbered(facts, async () => numbered),
    async close() {
      await facts.close()
      await numbers.close()
    },
  }
}

/**
 * Makes what stays in a data folder fit a log that is elsewhere now: what remembers places of the old one goes. Views are built
 * anew, and mails are queued again but for those that are on record as sent.
 */
export function adjustFolder({ dataDir }: Pick<Config, 'dataDir'>): void {
  for (const path of [embedded.views(dataDir), embedded.mail(dataDir)]) for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}
