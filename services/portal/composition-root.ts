import { type MasterKeySource, unwrapRootFrom } from '#services/process/keys/master-key-candidates.ts'
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Logger } from 'pino'
import type { EventStore } from '#infra/event-store/event-store.ts'
import { withOriginalPositions } from '#infra/event-store/renumbered.ts'
import { openSqliteEventStore } from '#infra/event-store/sqlite-event-store.ts'
import { openSqliteKeyStore } from '#infra/key-store/sqlite-key-store.ts'
import { openSqliteOutbox } from '#infra/outbox/sqlite-outbox.ts'
import { createEmlFolder } from '#infra/mail-transport/eml-folder.ts'
import { createSmtpTransport } from '#infra/mail-transport/smtp-mail-transport.ts'
import { memoryRateLimit } from '#infra/rate-limit/rate-limit.ts'
import { openSqliteSessionStore } from '#infra/session-store/sqlite-session-store.ts'
import { openSqliteTreeStore } from '#infra/tree-store/sqlite-tree-store.ts'
import { openSqliteReadModelStore } from '#infra/read-model-store/sqlite-read-model-store.ts'
import { createFileStore, createSealFileStore, embeddedPaths } from '#services/process/data-folder.ts'
import { BadConfiguration, type Config } from '#services/process/config.ts'
import { withAuthentication } from '#services/event-sourcing/authenticated-event-store.ts'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { createPersonKeys, MissingKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { INSTALLATION_KEY_ID, type UnwrappedRoot } from '#services/process/keys/root-secret.ts'
import { createSecrets } from '#services/process/keys/derived-secrets.ts'
import {
  createForgedRebuilds,
  withAuthenticDocuments,
} from '#services/event-sourcing/read-models/authentic-documents.ts'
import { createForgedRowReports } from '#services/process/forged-rows.ts'
import { assertFirstSealingKey, assertInstallationKeys, missingKeysError } from './required-keys.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { forgeryOf } from '#services/event-sourcing/codec/event-authentication.ts'
import { eventRegistry, streamPrefixes, urgentMails } from '#services/oversight/event-catalogue.ts'
import { logSubscriptionDrop, withAppendLogging } from '#services/process/event-store-logging.ts'
import { createMasterKeySource } from '#services/process/keys/master-key-source.ts'
import {
  withEventStoreMetrics,
  withOutboxMetrics,
  withReadModelStoreMetrics,
} from '#services/operations/metrics/measured-ports.ts'
import { loadPositionMapping } from '#services/operations/migration/original-positions.ts'
import { createCleanup, type Cleanup } from '#services/process/cleanup.ts'
import { PlatformLogins } from '#services/trading/accounts/server/platform-logins.ts'
import { createCurrentFirm } from '#services/identity/firm/server/current-firm.ts'
import { EmailAddresses } from '#services/identity/users/server/email-addresses.ts'
import { ensureMailStarted } from '#services/operations/installation/server/mail-start.ts'
import { recordRotations } from '#services/operations/installation/server/master-key-rotation.ts'
import { createAuthenticRecords, createSealSnapshots } from '#services/proof/authentic-records.ts'
import { createCheckpointAttestations } from '#services/proof/checkpoint-attestations.ts'
import { createEventTree } from '#services/proof/event-tree.ts'
import { checkLogAtStart } from '#services/proof/log-start.ts'
import { createProofWatch } from '#services/proof/proof-watch.ts'
import { createPublishedTree } from '#services/proof/published-tree.ts'
import { createSealedSize } from '#services/proof/sealed-size.ts'
import { createStreamHeads } from '#services/proof/stream-heads.ts'
import { createTransparencyLog } from '#services/proof/transparency-log.ts'

/**
 * Everything the services of a process share: the ports with their adapters, the keys, the repositories, the log's tree
 * and its proofs.
 */
export type Dependencies = Awaited<ReturnType<typeof assembleDependencies>>

/**
 * Opens all parts and checks that they are available, for callers that do not wait.
 *
 * @throws {BadConfiguration} when the master key is not this installation's.
 * @throws {Unavailable} when a store can't be opened.
 */
export async function openDependencies(
  config: Config,
  log: Logger,
  now: () => number = Date.now,
): Promise<Dependencies> {
  const parts = await assembleDependencies(config, log, now)
  try {
    await prepareDependencies(parts)
    return parts
  } catch (error) {
    await parts.close()
    throw error
  }
}

/**
 * Creates all parts, each with the adapter the configuration chooses, and opens those in the data folder. Servers are
 * not contacted yet; they may still be starting.
 *
 * @throws {BadConfiguration} when the key for the data folder is missing.
 * @throws {Unavailable} when something in the data folder can't be opened.
 */
export async function assembleDependencies(config: Config, log: Logger, now: () => number = Date.now) {
  const { dataDir } = config
  const servers: Readonly<Record<string, string | undefined>> = {
    'event store': config.eventstoreUrl,
    'view store': config.mongodbUrl,
    'key store': config.mongodbUrl,
    'tree store': config.mongodbUrl,
    'session store': config.redisUrl,
    'mail queue': config.redisUrl,
  }
  const masterKey = masterKeySourceFor(config)
  /** Set by {@link prepareDependencies}. */
  const root: { unwrapped?: UnwrappedRoot } = {}
  const secrets = createSecrets(() => root.unwrapped?.secret)
  const { defer, close } = createCleanup()
  try {
    /** Undefined where metrics are not configured. */
    const meters = config.metrics && (await import('#services/operations/metrics/meters.ts')).createMeters()
    const openedEventStore = defer(await openEventStore(config, log, () => meters?.drops.inc()))
    const plainEventStore = withAppendLogging(
      meters ? withEventStoreMetrics(openedEventStore, meters) : openedEventStore,
      log,
    )
    const { keyStore, readModelStore: plainReadModelStore, treeStore } = await openKeyAndReadModelStores(config, defer)
    const eventStore = withAuthentication(plainEventStore, secrets)
    const { sessionStore, outbox, createRateLimit, readPersistence } = await openSessionStoreAndOutbox(
      config,
      log,
      defer,
    )
    const fileStore = defer(await createFileStore(config))
    const records = createAuthenticRecords(fileStore, secrets)
    const sealFiles = defer(await createSealFileStore(config))
    const sender = { name: 'Proofdesk', address: config.mailFrom }
    const mailTransport = defer(
      config.smtpUrl
        ? createSmtpTransport({ ...config.smtpUrl, name: config.smtpUrl.name ?? greetingName(config) }, sender)
        : createEmlFolder(embeddedPaths.outbox(dataDir), sender),
    )
    const reportForgedRow = createForgedRowReports(log, (store) => meters?.forgedRows.inc({ store }))
    const rebuildForged = createForgedRebuilds(plainReadModelStore.projections, log)
    const reportAlteredDocument = (collection: string, id: string, says?: string) => {
      reportForgedRow('read models', `${collection} ${id}`, says)
      // What else was changed there is not known.
      rebuildForged(collection)
    }
    const readModelStore = {
      ...plainReadModelStore,
      documents: withAuthenticDocuments(plainReadModelStore.documents, {
        documentMac: (...row) => secrets.documentMac(...row),
        onForged: (...row) => reportAlteredDocument(...row),
      }),
    }
    const onForgedRow = (id: string) => reportForgedRow('key store', id)
    const personKeys = createPersonKeys(keyStore, secrets, { onForgedRow })
    const sealedSize = createSealedSize(keyStore, secrets, { onForgedRow })
    /** The heads of the log's streams, as the newest checkpoint commits to them. */
    const streamHeads = createStreamHeads(treeStore)
    const repositories = createRepositories(eventRegistry, eventStore, personKeys, {
      now,
      secrets,
      sealedHeads: streamHeads,
      snapshots: createSealSnapshots(records),
      onRefusedStream: () => meters?.refusedStreams.inc(),
    })
    const addresses = new EmailAddresses(repositories, secrets, now)
    const index = { readModels: createReadModels(readModelStore), end: () => eventStore.end() }
    const logins = new PlatformLogins(repositories, secrets, index, now)
    /** The tree over the log, in its store. */
    const tree = createEventTree(treeStore)
    /** The tree, outside the log. */
    const publishedTree = createPublishedTree(sealFiles)
    /** Undefined where no time-stamping authority is configured. */
    const timestamping = await loadTimestamping(config)
    /** They are asked to cosign checkpoints. */
    const witnesses = config.witnessPolicy?.witnesses ?? []
    /** The attestations of others about the log's checkpoints. */
    const attestations = createCheckpointAttestations({
      files: publishedTree,
      witnesses,
      checkToken: timestamping?.timestampedAt,
    })
    const transparencyLog = createTransparencyLog({ repositories, eventStore, tree, streamHeads, attestations })
    const proof = {
      records,
      publishedTree,
      sealedSize,
      tree,
      streamHeads,
      transparencyLog,
      attestations,
      witnesses,
      timestamping,
      logOrigin: logOriginOf(config),
    }
    const ports = {
      eventStore,
      plainEventStore,
      keyStore,
      sessionStore,
      mailTransport,
      fileStore,
      createRateLimit,
      readPersistence,
    }
    const shared = {
      config,
      log,
      registry: eventRegistry,
      now,
      meters,
      masterKey,
      root,
      secrets,
      personKeys,
      reportForgedRow,
      reportAlteredDocument,
      repositories,
      firm: createCurrentFirm({ repositories, config }),
      addresses,
      logins,
      close,
    }
    return {
      ...shared,
      ...ports,
      ...proof,
      /** The problems of the proof, as the worker has noted them. */
      proofWatch: createProofWatch({ ...shared, records, eventStore, readModelStore }),
      readModelStore: meters ? withReadModelStoreMetrics(readModelStore, meters) : readModelStore,
      outbox: meters ? withOutboxMetrics(outbox, meters) : outbox,
      /** For policies and erasure. */
      policyDependencies: {
        repositories,
        now,
        addresses,
        logins,
        sessions: sessionStore,
        files: fileStore,
        mails: mailTransport,
        personKeys,
      },
      /**
       * Whether a part ('event store') is a remote server, which may recover by itself, rather than a file in the data
       * folder.
       */
      isServer: (part: string) => servers[part] !== undefined,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Runs what must come before all work, and checks that the required servers are available. Others (files, mail) are
 * missed only when used. May run repeatedly and concurrently.
 *
 * @throws {BadConfiguration} when the master key is not this installation's.
 * @throws {Unavailable}
 */
export async function prepareDependencies(parts: Dependencies): Promise<void> {
  const { readModelStore, sessionStore, isServer } = parts
  await loadSecrets(parts)
  if (isServer('view store')) await readModelStore.ready()
  if (isServer('session store')) {
    await assertRedisKeeps(parts)
    await sessionStore.ready()
  }
}

/**
 * Runs what must come before all decisions: compares the log with what is known of it elsewhere, and takes the ends of its
 * streams into memory. What an earlier process left unrecorded is recorded after that, since it is decided too.
 *
 * @throws {MissingEvents} when the log has lost events that were sealed.
 * @throws {Unavailable}
 */
export async function prepareDecisions(parts: Dependencies): Promise<void> {
  await checkLogAtStart(parts)
  const { repositories, root } = parts
  if (root.unwrapped) await recordRotations(repositories, root.unwrapped, systemContext('start', 'start'))
  await ensureMailStarted(parts)
}

/** A Redis that drops a part of what it confirmed loses mails, and opens sessions again that were ended. */
async function assertRedisKeeps({ readPersistence, log }: Dependencies): Promise<void> {
  const where = 'docs/operate.md, "Users of the servers"'
  switch (await readPersistence()) {
    case 'keeps':
      return
    case 'unknown':
      log.warn(
        `Redis does not say whether it keeps sessions and queued mails over a restart. Give the user of REDIS_URL the right +acl|dryrun (Redis 7.0 or newer), and its user default what it needs: ${where}`,
      )
      return
    case 'evicts':
      throw new BadConfiguration(
        'REDIS_URL: this Redis removes sessions and queued mails when its memory is full. Set its maxmemory-policy to noeviction',
      )
    case 'drops-at-restart':
      throw new BadConfiguration(
        `REDIS_URL: this Redis drops sessions and queued mails when it restarts, because its user default may not restore them. Set "user default off resetpass ~* &* +@all" there: ${where}`,
      )
  }
}

/** Keys in MongoDB need a configured master key: with one in the data folder, each process would create its own. */
function masterKeySourceFor(config: Config): MasterKeySource {
  if (config.mongodbUrl !== undefined && config.masterKey === undefined)
    throw new BadConfiguration(
      'MASTER_KEY: must be set with MONGODB_URL, the same for every process: it wraps the keys stored there',
    )
  return createMasterKeySource(config, existsSync(embeddedPaths.events(config.dataDir)))
}

async function openEventStore(
  { eventstoreUrl, dataDir }: Config,
  log: Logger,
  dropped: () => void,
): Promise<EventStore> {
  if (eventstoreUrl === undefined) return openSqliteEventStore(embeddedPaths.events(dataDir))
  // The client loads slowly, so only where it is used.
  const { openEventStoreDb } = await import('#infra/event-store/eventstoredb-event-store.ts')
  const store = openEventStoreDb(eventstoreUrl, {
    prefixes: streamPrefixes,
    onDrop(error) {
      dropped()
      logSubscriptionDrop(log, error)
    },
  })
  // A migrated log keeps its events' original positions.
  return withOriginalPositions(store, () => loadPositionMapping(store))
}

/** Person keys, read models and the tree: in MongoDB on one connection, or embedded. */
async function openKeyAndReadModelStores({ mongodbUrl, dataDir }: Config, keep: Cleanup['defer']) {
  if (mongodbUrl === undefined)
    return {
      keyStore: keep(openSqliteKeyStore(embeddedPaths.keys(dataDir))),
      readModelStore: keep(openSqliteReadModelStore(embeddedPaths.views(dataDir))),
      treeStore: keep(openSqliteTreeStore(embeddedPaths.tree(dataDir))),
    }
  // The client loads slowly, so only where it is used.
  const [{ openMongoKeyStore }, { openMongodbReadModelStore }, { openMongodbTreeStore }] = await Promise.all([
    import('#infra/key-store/mongodb-key-store.ts'),
    import('#infra/read-model-store/mongodb-read-model-store.ts'),
    import('#infra/tree-store/mongodb-tree-store.ts'),
  ])
  return {
    keyStore: keep(openMongoKeyStore(mongodbUrl)),
    readModelStore: keep(openMongodbReadModelStore(mongodbUrl)),
    treeStore: keep(openMongodbTreeStore(mongodbUrl)),
  }
}

/** Sessions, outbox and rate limits: in Redis on one connection, or embedded. */
async function openSessionStoreAndOutbox({ redisUrl, dataDir }: Config, log: Logger, keep: Cleanup['defer']) {
  if (redisUrl === undefined)
    return {
      sessionStore: keep(openSqliteSessionStore(embeddedPaths.sessions(dataDir))),
      outbox: keep(openSqliteOutbox(embeddedPaths.mail(dataDir), { urgentKinds: urgentMails })),
      createRateLimit: memoryRateLimit,
      readPersistence: async () => 'keeps' as const,
    }
  const [{ openRedis }, { readPersistence }, { createRedisSessionStore }, { openBullMqOutbox }, { redisRateLimit }] =
    await Promise.all([
      import('#infra/redis/redis-connection.ts'),
      import('#infra/redis/redis-persistence.ts'),
      import('#infra/session-store/redis-session-store.ts'),
      import('#infra/outbox/bullmq-outbox.ts'),
      import('#infra/rate-limit/redis-rate-limit.ts'),
    ])
  const redis = keep(openRedis(redisUrl))
  return {
    sessionStore: keep(createRedisSessionStore(redis)),
    outbox: keep(
      openBullMqOutbox(redis, {
        urgentKinds: urgentMails,
        onError: (error) => log.warn({ err: error }, 'The outbox could not reach Redis and will retry'),
      }),
    ),
    createRateLimit: redisRateLimit(redis),
    readPersistence: () => readPersistence(redis),
  }
}

/** A log is named by where it is served, without the scheme. */
function logOriginOf({ logOrigin, publicUrl, port }: Config): string {
  const { host, pathname } = publicUrl ?? new URL(`http://localhost:${port}`)
  return logOrigin ?? `${host}${pathname.replace(/\/$/, '')}/log`
}

/** Relays refuse the greeting of a machine that is named by no domain, as containers are. */
function greetingName({ publicUrl }: Config): string | undefined {
  const host = publicUrl?.hostname
  return host?.includes('.') && isIP(host) === 0 ? host : undefined
}

/** The ASN.1 code loads slowly, so only where it is used. */
async function loadTimestamping({ tsaUrl }: Pick<Config, 'tsaUrl'>) {
  return tsaUrl && { url: tsaUrl, ...(await import('#services/proof/timestamps.ts')) }
}

/**
 * Unlocks the secrets; only the right master key unwraps the root secret. The installation's own key, wrapped like a
 * person's, proves that persons' keys were wrapped by this root, and that a root existed.
 */
async function loadSecrets({
  eventStore,
  plainEventStore,
  keyStore,
  masterKey,
  root,
  personKeys,
}: Dependencies): Promise<void> {
  if (!root.unwrapped) await assertInstallationKeys(plainEventStore, keyStore)
  root.unwrapped ??= (await unwrapRootFrom(keyStore, masterKey)) ?? wrongMasterKeyError()
  await personKeys.getOrCreate(INSTALLATION_KEY_ID).catch(throwIfForeign)
  await assertFirstSealingKey(eventStore, personKeys)
  await assertAuthenticBeginning(eventStore)
}

/** The first event of every log has a MAC: a log without any is not one that this portal wrote. */
async function assertAuthenticBeginning(eventStore: EventStore): Promise<void> {
  const forgery = await firstForgery(eventStore)
  if (forgery !== undefined)
    throw new BadConfiguration(
      `The first event of the log does not count: ${forgery}. The portal does not start with a log that it did not write. Restore the log from a backup: docs/operate.md, "Events that are not authentic"`,
    )
}

async function firstForgery(eventStore: EventStore): Promise<string | undefined> {
  for await (const { events } of readLog(eventStore, undefined, { batchSize: 1 }))
    for (const event of events) return forgeryOf(event)
  return undefined
}

/** The installation's own key is wrapped by another root secret. */
function throwIfForeign(error: unknown): never {
  throw error instanceof MissingKey ? missingKeysError([error.id]) : error
}

function wrongMasterKeyError(): never {
  throw new BadConfiguration('MASTER_KEY: this is not the key of this installation')
}
