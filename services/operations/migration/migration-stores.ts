import { rmSync } from 'node:fs'
import type { Logger } from 'pino'
import { type PositionMapping, withOriginalPositions } from '#infra/event-store/renumbered.ts'
import { type LogCopy, openSqliteLogCopy } from '#infra/event-store/sqlite-copy.ts'
import { createDiskFileStore } from '#infra/file-store/disk-file-store.ts'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { KeyStore } from '#infra/key-store/key-store.ts'
import { openSqliteKeyStore } from '#infra/key-store/sqlite-key-store.ts'
import type { Config } from '#services/process/config.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { logSubscriptionDrop } from '#services/process/event-store-logging.ts'
import { createCleanup } from '#services/process/cleanup.ts'
import { embeddedPaths, createFileStore, createSealFileStore } from '#services/process/data-folder.ts'
import { createPublishedTree, type PublishedTree } from '#services/proof/published-tree.ts'
import {
  beginMigration,
  checkIncreasing,
  finishMigration,
  isMigrationBegun,
  MIGRATION_STREAM_PREFIX,
} from './original-positions.ts'
import type { EventStore, EventToAppend, StoredEvent } from '#infra/event-store/event-store.ts'
import { retryUnavailable } from '#infra/failures.ts'

/** The destination of a copy; what is undefined stays where it is. */
export interface Destination {
  readonly log: LogDestination | undefined
  readonly keys: KeyStore | undefined
  readonly files: FileStore | undefined
  readonly tree: PublishedTree | undefined
  close(): Promise<void>
}

export interface LogDestination extends LogCopy {
  /** @throws {Refused} when there is another log. */
  begin(): Promise<void>
  /** Marks the copy as complete, and stores the positions that the events have in the source. */
  finish(mapping: PositionMapping): Promise<void>
  /** The event store of the finished copy. */
  readonly finished: EventStore
  /** Whether the source may grow meanwhile: later events are then not in the copy. */
  readonly isSnapshot: boolean
}

/** A folder as the data folder of an embedded installation. */
export function openFolderDestination(folder: string): Destination {
  const log = openSqliteLogCopy(embeddedPaths.events(folder))
  const keys = openFolderKeys(folder)
  const files = createDiskFileStore(embeddedPaths.files(folder))
  const seals = createDiskFileStore(embeddedPaths.seals(folder))
  return {
    log: { ...log, begin: async () => {}, finish: async () => {}, finished: log.store, isSnapshot: true },
    keys,
    files,
    tree: createPublishedTree(seals),
    async close() {
      for (const store of [log, keys, files, seals]) await store.close()
    },
  }
}

/** The keys in such a folder. */
export function openFolderKeys(folder: string): KeyStore {
  return openSqliteKeyStore(embeddedPaths.keys(folder))
}

/** The configured servers. `prefixes` select our events in a log that other programs write to as well. */
export async function openServerDestination(
  config: Config,
  prefixes: readonly string[],
  log: Logger,
): Promise<Destination> {
  const { defer, close } = createCleanup()
  const eventLog =
    config.eventstoreUrl === undefined ? undefined : await openServerLog(config.eventstoreUrl, prefixes, log)
  if (eventLog) defer(eventLog)
  const seals = config.sealsUrl && defer(await createSealFileStore(config))
  return {
    log: eventLog,
    keys:
      config.mongodbUrl === undefined
        ? undefined
        : defer((await import('#infra/key-store/mongodb-key-store.ts')).openMongoKeyStore(config.mongodbUrl)),
    files: config.s3Url && defer(await createFileStore(config)),
    tree: seals && createPublishedTree(seals),
    close,
  }
}

async function openServerLog(url: string, prefixes: readonly string[], log: Logger): Promise<LogDestination> {
  const { openEventStoreDb } = await import('#infra/event-store/eventstoredb-event-store.ts')
  const onDrop = (error: unknown) => logSubscriptionDrop(log, error)
  const events = openEventStoreDb(url, { prefixes, onDrop })
  const positions = openEventStoreDb(url, { prefixes: [MIGRATION_STREAM_PREFIX], onDrop })
  let stored: PositionMapping | undefined
  return {
    ...createAppendingCopy(events),
    isSnapshot: false,
    async begin() {
      if (!(await isMigrationBegun(positions)) && (await events.end()) !== '0')
        throw new Refused('conflict', 'EVENTSTORE_URL: there is a log already, of another installation')
      await beginMigration(positions)
    },
    async finish(mapping) {
      checkIncreasing(mapping)
      await finishMigration(positions, mapping)
      stored = mapping
    },
    finished: withOriginalPositions(events, async () => stored),
    async close() {
      await events.close()
      await positions.close()
    },
  }
}

/**
 * Prepares a data folder for a log that is elsewhere now: removes what refers to positions of the old log. Read models
 * are rebuilt, and mails are queued again unless the log records them as sent.
 */
export function prepareFolder({ dataDir }: Pick<Config, 'dataDir'>): void {
  for (const path of [embeddedPaths.views(dataDir), embeddedPaths.mail(dataDir), embeddedPaths.tree(dataDir)])
    for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}

/** The most of one append: well below the limits of EventStoreDB. */
const MAX_BATCH_SIZE = { events: 100, bytes: 500_000 }
/** Waits in ms before an append is repeated. */
const RETRY_DELAYS = [200, 1_000, 3_000, 10_000]

/**
 * A copy in a store that assigns positions itself. Consecutive events of a stream are appended together, with their
 * exact revision and their own ids: the order of the log stays, and a repeated append adds nothing.
 */
function createAppendingCopy(store: EventStore): LogCopy {
  return {
    store,
    async add(batch) {
      for (const run of runsByStream(batch)) {
        const [first] = run
        if (!first) continue
        const events = run.map(({ id, type, data, metadata }): EventToAppend => ({ id, type, data, metadata }))
        await retryUnavailable(RETRY_DELAYS, () =>
          store.append(first.stream, first.revision === 0 ? 'none' : first.revision - 1, events),
        )
      }
    },
    close: async () => {},
  }
}

/** Runs of consecutive events of one stream. */
function* runsByStream(events: readonly StoredEvent[]): Generator<readonly StoredEvent[]> {
  let run: StoredEvent[] = []
  let bytes = 0
  for (const event of events) {
    const size = Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata)
    if (
      run.length > 0 &&
      (run[0]?.stream !== event.stream || run.length >= MAX_BATCH_SIZE.events || bytes + size > MAX_BATCH_SIZE.bytes)
    ) {
      yield run
      run = []
      bytes = 0
    }
    run.push(event)
    bytes += size
  }
  yield run
}
