import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { comparePositions, type EventStore, start } from '../infra/event-store/event-store.ts'
import { renumbered } from '../infra/event-store/renumbered.ts'
import { openSqliteEventStore } from '../infra/event-store/sqlite-event-store.ts'
import { openDiskFileStore } from '../infra/file-store/disk-file-store.ts'
import type { FileStore } from '../infra/file-store/file-store.ts'
import type { KeyStore } from '../infra/key-store/key-store.ts'
import { openSqliteKeyStore } from '../infra/key-store/sqlite-key-store.ts'
import type { MailQueue } from '../infra/outbox/outbox.ts'
import { openSqliteMailQueue } from '../infra/outbox/sqlite-outbox.ts'
import type { MailTransport } from '../infra/mail-transport/mail-transport.ts'
import { openOutbox } from '../infra/mail-transport/eml-folder.ts'
import { openSmtp } from '../infra/mail-transport/smtp-mail-transport.ts'
import { memoryRateLimit, type OpenRateLimit } from '../infra/rate-limit/rate-limit.ts'
import type { SessionStore } from '../infra/session-store/session-store.ts'
import { openSqliteSessionStore } from '../infra/session-store/sqlite-session-store.ts'
import { openSqliteViewStore } from '../infra/read-model-store/sqlite.ts'
import type { ViewStore } from '../infra/read-model-store/read-model-store.ts'
import { BadConfiguration, type Config } from './config.ts'
import { type Journal, openJournal } from './event-sourcing/aggregate-repository.ts'
import { type PersonKeys, personKeys } from './event-sourcing/crypto-shredding/person-keys.ts'
import { systemContext } from './event-sourcing/codec/metadata.ts'
import { INSTALLATION, ROOT } from './keys/root-secret.ts'
import { InstallationSecrets } from './keys/derived-secrets.ts'
import { streamPrefixes } from './domain/streams.ts'
import { tellDrop, toldEventStore } from './event-store-logging.ts'
import { masterKeyPlace } from './keys/master-key-source.ts'
import type { Meters } from './metrics/meters.ts'
import { movedNumbers } from './operations/migration/original-positions.ts'
import { nothingOpened, type Opened } from './cleanup.ts'
import type { DeletionParts } from './use-cases/user-deletion.ts'
import { EmailAddresses } from './use-cases/email-addresses.ts'
import { ensureMailBegan } from './use-cases/mail-start.ts'
import { type MasterKeyPlace, openRootAt, recordRotations } from './keys/master-key-rotation.ts'
import { sealsOutside, type SealsOutside } from './proof/published-seals.ts'

/** Everything the services share, opened once a process: the ports with their adapters, and the journal over them. */
export interface Parts {
  readonly config: Config
  readonly log: Logger
  readonly now: () => number
  readonly eventStore: EventStore
  readonly viewStore: ViewStore
  readonly keyStore: KeyStore
  readonly sessionStore: SessionStore
  readonly mailQueue: MailQueue
  readonly mailTransport: MailTransport
  readonly fileStore: FileStore
  /** Seals outside the log. */
  readonly sealsOutside: SealsOutside
  readonly openRateLimit: OpenRateLimit
  /** Where the master key is, which opens the secrets. */
  readonly masterKey: MasterKeyPlace
  /** Open once the parts are prepared. */
  readonly secrets: InstallationSecrets
  readonly personKeys: PersonKeys
  readonly journal: Journal
  readonly addresses: EmailAddresses
  readonly deletion: DeletionParts
  /** What is counted and timed; undefined where nobody asks for it. */
  readonly meters: Meters | undefined
  /** Whether a part ('event store') is a server, which may be away and come back by itself, and nothing in our data folder. */
  isServer(part: string): boolean
  close(): Promise<void>
}

/** Where the embedded stores live in the data folder. */
export const embedded = {
  events: (dataDir: string) => join(dataDir, 'events.sqlite'),
  keys: (dataDir: string) => join(dataDir, 'keys.sqlite'),
  views: (dataDir: string) => join(dataDir, 'views.sqlite'),
  sessions: (dataDir: string) => join(dataDir, 'sessions.sqlite'),
  mail: (dataDir: string) => join(dataDir, 'mail.sqlite'),
  seals: (dataDir: string) => join(dataDir, 'seals'),
  files: (dataDir: string) => join(dataDir, 'files'),
  outbox: (dataDir: string) => join(dataDir, 'outbox'),
}

/**
 * Opens all parts and finds them there: for whoever does not wait.
 *
 * @throws {BadConfiguration} when the master key is not the one that this installation was made with.
 * @throws {Unavailable} when a store can't be opened.
 */
export async function openParts(config: Config, log: Logger, now: () => number = Date.now): Promise<Parts> {
  const parts = await assembleParts(config, log, now)
  try {
    await prepareParts(parts)
    return parts
  } catch (error) {
    await parts.close()
    throw error
  }
}

/**
 * Puts all parts together, each with the adapter that the configuration chooses. What is in the data folder is opened; of
 * servers nothing is asked yet, for they may not be there.
 *
 * @throws {BadConfiguration} when the key of what is in the data folder is missing.
 * @throws {Unavailable} when something in the data folder can't be opened.
 */
export async function assembleParts(config: Config, log: Logger, now: () => number = Date.now): Promise<Parts> {
  const { dataDir } = config
  const servers: Readonly<Record<string, string | undefined>> = {
    'event store': config.eventStoreUrl,
    'view store': config.mongodbUrl,
    'key store': config.mongodbUrl,
    'session store': config.redisUrl,
    'mail queue': config.redisUrl,
  }
  const masterKey = masterKeyFor(config)
  const secrets = new InstallationSecrets()
  const { keep, close } = nothingOpened()
  try {
    const meters = config.metrics && (await import('./metrics/meters.ts')).openMeters()
    const measured = await measuring(meters)
    const eventStore = toldEventStore(measured.eventStore(keep(await openEventStore(config, log, () => meters?.drops.inc()))), log)
    const { keyStore, viewStore } = await openKeysAndViews(config, keep)
    const { sessionStore, mailQueue, openRateLimit } = await openSessionsAndMail(config, log, keep)
    const fileStore = keep(await openFiles(config))
    const sealFiles = keep(await openSealFiles(config))
    const sender = { name: 'Proofdesk', address: config.mailFrom }
    const mailTransport = keep(config.smtpUrl ? openSmtp(config.smtpUrl, sender) : openOutbox(embedded.outbox(dataDir), sender))
    const keys = personKeys(keyStore, secrets)
    const journal = openJournal(eventStore, keys, { now })
    const addresses = new EmailAddresses(journal, secrets, now)
    const deletion = { journal, addresses, sessions: sessionStore, files: fileStore, mails: mailTransport, personKeys: keys }
    const measuredStores = { viewStore: measured.viewStore(viewStore), mailQueue: measured.mailQueue(mailQueue), meters }
    const stores = { eventStore, keyStore, sessionStore, mailTransport, fileStore, sealsOutside: sealsOutside(sealFiles), ...measuredStores }
    const isServer = (part: string): boolean => servers[part] !== undefined
    return { config, log, now, ...stores, openRateLimit, masterKey, secrets, personKeys: keys, journal, addresses, deletion, isServer, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Does what comes before all work, and finds out whether the servers are there that nothing works without. What can
 * wait (files, the mail server) is missed only by who asks for it. It may be done again, by several at once.
 *
 * @throws {BadConfiguration} when the master key is not the one that this installation was made with.
 * @throws {Unavailable}
 */
export async function prepareParts(parts: Parts): Promise<void> {
  const { viewStore, sessionStore, isServer } = parts
  await openSecrets(parts)
  await ensureMailBegan(parts)
  if (isServer('view store')) await viewStore.ready()
  if (isServer('session store')) await sessionStore.ready()
}

/** Of keys that are elsewhere the data folder has no master key: another process would have made another one. */
function masterKeyFor(config: Config): MasterKeyPlace {
  if (config.mongodbUrl !== undefined && config.masterKey === undefined)
    throw new BadConfiguration('MASTER_KEY: has to be set with MONGODB_URL, the same for every process: it wraps the keys that are kept there')
  return masterKeyPlace(config, existsSync(embedded.events(config.dataDir)))
}

async function openEventStore({ eventStoreUrl, dataDir }: Config, log: Logger, dropped: () => void): Promise<EventStore> {
  if (eventStoreUrl === undefined) return openSqliteEventStore(embedded.events(dataDir))
  // Loading its client takes long: only where it is used.
  const { openEventStoreDb } = await import('../infra/event-store/eventstoredb-event-store.ts')
  const store = openEventStoreDb(eventStoreUrl, {
    prefixes: streamPrefixes,
    onDrop(error) {
      dropped()
      tellDrop(log, error)
    },
  })
  // A log that was moved there keeps the numbers that its facts had.
  return renumbered(store, () => movedNumbers(store))
}

/** Persons' keys and the views: in MongoDB, on one connection, or here. */
async function openKeysAndViews({ mongodbUrl, dataDir }: Config, keep: Opened['keep']) {
  if (mongodbUrl === undefined)
    return { keyStore: keep(openSqliteKeyStore(embedded.keys(dataDir))), viewStore: keep(openSqliteViewStore(embedded.views(dataDir))) }
  // Loading its client takes long: only where it is used.
  const [{ openMongoKeyStore }, { openMongoViewStore }] = await Promise.all([
    import('../infra/key-store/mongodb-key-store.ts'),
    import('../infra/read-model-store/mongodb.ts'),
  ])
  return { keyStore: keep(openMongoKeyStore(mongodbUrl)), viewStore: keep(openMongoViewStore(mongodbUrl)) }
}

/** Sessions, queued mails and counts of tries: in Redis, on one connection, or here. */
async function openSessionsAndMail({ redisUrl, dataDir }: Config, log: Logger, keep: Opened['keep']) {
  if (redisUrl === undefined)
    return {
      sessionStore: keep(openSqliteSessionStore(embedded.sessions(dataDir))),
      mailQueue: keep(openSqliteMailQueue(embedded.mail(dataDir))),
      openRateLimit: memoryRateLimit,
    }
  const [{ openRedis }, { openRedisSessionStore }, { openBullMqMailQueue }, { redisRateLimit }] = await Promise.all([
    import('../infra/redis/redis-connection.ts'),
    import('../infra/session-store/redis-session-store.ts'),
    import('../infra/outbox/bullmq-outbox.ts'),
    import('../infra/rate-limit/redis-rate-limit.ts'),
  ])
  const redis = keep(openRedis(redisUrl))
  return {
    sessionStore: keep(openRedisSessionStore(redis)),
    mailQueue: keep(openBullMqMailQueue(redis, { onTrouble: (error) => log.warn({ err: error }, 'The mail queue had trouble with Redis and will try again') })),
    openRateLimit: redisRateLimit(redis),
  }
}

/** Loading its client takes long: only where it is used. */
const loadS3 = async () => (await import('../infra/file-store/s3-file-store.ts')).openS3FileStore

export async function openFiles({ filesBucket, dataDir }: Pick<Config, 'filesBucket' | 'dataDir'>): Promise<FileStore> {
  return filesBucket ? (await loadS3())(filesBucket) : openDiskFileStore(embedded.files(dataDir))
}

/** A seal is never removed, so its bucket may keep old versions. */
export async function openSealFiles({ sealsBucket, sealsDir, dataDir }: Pick<Config, 'sealsBucket' | 'sealsDir' | 'dataDir'>): Promise<FileStore> {
  return sealsBucket ? (await loadS3())(sealsBucket, { erases: false }) : openDiskFileStore(sealsDir ?? embedded.seals(dataDir))
}

/** How ports become measured ones; without meters they stay as they are, and the library is not even loaded. */
async function measuring(meters: Meters | undefined) {
  const same = <Port>(port: Port): Port => port
  if (!meters) return { eventStore: same<EventStore>, viewStore: same<ViewStore>, mailQueue: same<MailQueue> }
  const { measuredEventStore, measuredMailQueue, measuredViewStore } = await import('./metrics/measured-ports.ts')
  return {
    eventStore: (store: EventStore) => measuredEventStore(store, meters),
    viewStore: (store: ViewStore) => measuredViewStore(store, meters),
    mailQueue: (queue: MailQueue) => measuredMailQueue(queue, meters),
  }
}

/**
 * Only the right master key opens the root secret. The installation has a key of its own, wrapped like a person's: it says that
 * the root is the one that persons' keys were wrapped by, and by being there at all that there has been a root.
 */
async function openSecrets({ eventStore, keyStore, masterKey, secrets, personKeys, journal }: Parts): Promise<void> {
  if (!secrets.isOpen) await refuseLostKeys(eventStore, keyStore)
  if (!secrets.isOpen) secrets.open((await openRootAt(keyStore, masterKey)) ?? wrongMasterKey())
  try {
    await personKeys.forWriting(INSTALLATION)
  } catch (error) {
    if (error instanceof Error && /authenticate/.test(error.message)) wrongMasterKey()
    throw error
  }
  await recordRotations(journal, secrets, systemContext('start', 'start'))
}

/** The keys of an installation are there before its first fact: a log without them would go on with new ones, in which nobody is found again. */
async function refuseLostKeys(eventStore: EventStore, keyStore: KeyStore): Promise<void> {
  const hasKeys = async () => (await keyStore.get([ROOT, INSTALLATION])).size > 0
  if ((await hasKeys()) || comparePositions(await eventStore.end(), start) <= 0) return
  // Somebody may have made them, and then the first fact, between the two looks.
  if (!(await hasKeys()))
    throw new BadConfiguration(
      'The key store is empty, but the event log is not: the keys are in another place (MONGODB_URL, or keys.sqlite in DATA_DIR), or have to be restored from a backup',
    )
}

function wrongMasterKey(): never {
  throw new BadConfiguration('MASTER_KEY: this is not the key that the installation was made with')
}
