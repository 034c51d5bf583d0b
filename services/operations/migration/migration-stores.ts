import { rmSync } from 'node:fs'
import type { Logger } from 'pino'
import type { EventStore } from '../../../infra/event-store/event-store.ts'
import { type PositionMapping, withOriginalPositions } from '../../../infra/event-store/renumbered.ts'
import { type LogCopy, openSqliteLogCopy } from '../../../infra/event-store/sqlite-copy.ts'
import { createDiskFileStore } from '../../../infra/file-store/disk-file-store.ts'
import type { FileStore } from '../../../infra/file-store/file-store.ts'
import type { KeyStore } from '../../../infra/key-store/key-store.ts'
import { openSqliteKeyStore } from '../../../infra/key-store/sqlite-key-store.ts'
import type { Config } from '../../config.ts'
import { Refused } from '../../event-sourcing/refusal.ts'
import { streamPrefixes } from '../../domain/streams.ts'
import { logSubscriptionDrop } from '../../event-store-logging.ts'
import { createCleanup } from '../../cleanup.ts'
import { embeddedPaths, createFileStore, createSealFileStore } from '../../composition-root.ts'
import { type PublishedSeals, createPublishedSeals } from '../../proof/published-seals.ts'
import { createAppendingCopy } from './append-to-server.ts'
import { beginMigration, checkIncreasing, finishMigration, isMigrationBegun, MIGRATION_STREAM_PREFIX } from './original-positions.ts'

/** Where an installation is copied to; what is undefined stays where it is. */
export interface Destination {
  readonly log: LogDestination | undefined
  readonly keys: KeyStore | undefined
  readonly files: FileStore | undefined
  readonly seals: PublishedSeals | undefined
  close(): Promise<void>
}

export interface LogDestination extends LogCopy {
  /** @throws {Refused} where another log is. */
  begin(): Promise<void>
  /** Once every fact is there; with the numbers that the facts have where they come from. */
  finish(numbering: PositionMapping): Promise<void>
  /** The copy as it is read once it is finished. */
  readonly finished: EventStore
  /** Whether it may be made of a log that grows: what comes later is then not in it. */
  readonly isSnapshot: boolean
}

/** A folder that becomes the data folder of an embedded installation. */
export function openFolderDestination(folder: string): Destination {
  const log = openSqliteLogCopy(embeddedPaths.events(folder))
  const keys = openSqliteKeyStore(embeddedPaths.keys(folder))
  const files = createDiskFileStore(embeddedPaths.files(folder))
  const seals = createDiskFileStore(embeddedPaths.seals(folder))
  return {
    log: { ...log, begin: async () => {}, finish: async () => {}, finished: log.store, isSnapshot: true },
    keys,
    files,
    seals: createPublishedSeals(seals),
    async close() {
      for (const store of [log, keys, files, seals]) await store.close()
    },
  }
}

/** The servers that are configured. */
export async function openServerDestination(config: Config, log: Logger): Promise<Destination> {
  const { defer, close } = createCleanup()
  const eventLog = config.eventStoreUrl === undefined ? undefined : await openServerLog(config.eventStoreUrl, log)
  if (eventLog) defer(eventLog)
  return {
    log: eventLog,
    keys:
      config.mongodbUrl === undefined ? undefined : defer((await import('../../../infra/key-store/mongodb-key-store.ts')).openMongoKeyStore(config.mongodbUrl)),
    files: config.filesBucket && defer(await createFileStore(config)),
    seals: config.sealsBucket && createPublishedSeals(defer(await createSealFileStore(config))),
    close,
  }
}

async function openServerLog(url: string, log: Logger): Promise<LogDestination> {
  const { openEventStoreDb } = await import('../../../infra/event-store/eventstoredb-event-store.ts')
  const onDrop = (error: unknown) => logSubscriptionDrop(log, error)
  const facts = openEventStoreDb(url, { prefixes: streamPrefixes, onDrop })
  const numbers = openEventStoreDb(url, { prefixes: [MIGRATION_STREAM_PREFIX], onDrop })
  let numbered: PositionMapping | undefined
  return {
    ...createAppendingCopy(facts),
    isSnapshot: false,
    async begin() {
      if (!(await isMigrationBegun(numbers)) && (await facts.end()) !== '0')
        throw new Refused('conflict', 'EVENTSTORE_URL: there is a log already, of an installation that has begun there')
      await beginMigration(numbers)
    },
    async finish(numbering) {
      checkIncreasing(numbering)
      await finishMigration(numbers, numbering)
      numbered = numbering
    },
    finished: withOriginalPositions(facts, async () => numbered),
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
export function prepareFolder({ dataDir }: Pick<Config, 'dataDir'>): void {
  for (const path of [embeddedPaths.views(dataDir), embeddedPaths.mail(dataDir)])
    for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}
