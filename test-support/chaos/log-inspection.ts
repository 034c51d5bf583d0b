import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import PostalMime from 'postal-mime'
import { expect } from 'vitest'
import { type Checkpoint, comparePositions, type StoredEvent } from '../../infra/event-store/event-store.ts'
import { openSqlite } from '../../infra/sqlite/sqlite.ts'
import { openSqliteReadModelStore } from '../../infra/read-model-store/sqlite-read-model-store.ts'
import type { ReadModelStore } from '../../infra/read-model-store/read-model-store.ts'
import { readConfig } from '../../services/config.ts'
import { userId } from '../../services/domain/ids.ts'
import { decodeEvent, type RecordedEvent } from '../../services/event-sourcing/codec/event-codec.ts'
import { eventHash } from '../../services/event-sourcing/codec/hash-chain.ts'
import { type AnyEvent, eventRegistry, emailClaims, parseStreamName, personIdOf } from '../../services/domain/streams.ts'
import { embeddedPaths, openDependencies, type Dependencies } from '../../services/composition-root.ts'
import { userFilesPrefix } from '../../services/use-cases/user-deletion.ts'
import { loadProjectionState } from '../../services/event-sourcing/projections/projection-states.ts'
import { allProjections } from '../../services/projections/index.ts'
import type { Projection } from '../../services/event-sourcing/projections/projection.ts'
import { mailJobOf } from '../../services/worker/mail/mail-sender.ts'
import { runProjector } from '../../services/event-sourcing/projections/projection-supervisor.ts'
import { readProjectionStatus } from '../../services/event-sourcing/projections/projection-status.ts'
import { eventLabelOf } from './expected-events.ts'
import { until } from '../until.ts'

/** Looking at a data folder from outside, as an auditor with a disk in hand would. */

/** Opens the stores of a folder beside whoever else uses them, for as long as the work takes. */
export function withStores<Result>(dataDir: string, work: (parts: Dependencies) => Promise<Result>, masterKey?: string): Promise<Result> {
  return withDependencies({ DATA_DIR: dataDir, MASTER_KEY: masterKey }, work)
}

/** Opens whatever an installation with these variables has, beside those who work with it, for as long as the work takes. */
export async function withDependencies<Result>(
  environment: Readonly<Record<string, string | undefined>>,
  work: (parts: Dependencies) => Promise<Result>,
): Promise<Result> {
  const parts = await openDependencies(readConfig(environment), pino({ level: 'silent' }))
  try {
    return await work(parts)
  } finally {
    await parts.close()
  }
}

/** Everything in the log after a checkpoint, as it is stored. */
export async function readLog({ eventStore }: Pick<Dependencies, 'eventStore'>, after?: Checkpoint) {
  const events: StoredEvent[] = []
  let checkpoint = after
  const enough = new AbortController()
  for await (const batch of eventStore.subscribe(after, { signal: enough.signal })) {
    events.push(...batch.events)
    checkpoint = batch.checkpoint
    if (batch.caughtUp) enough.abort()
  }
  return { events, checkpoint }
}

/** The facts that stored events hold. */
export async function decodeEvents({ personKeys }: Pick<Dependencies, 'personKeys'>, events: readonly StoredEvent[]): Promise<RecordedEvent<AnyEvent>[]> {
  const keys = await personKeys.get(events.flatMap(({ stream }) => personIdOf(stream) ?? []))
  return events.map((event) => decodeEvent(eventRegistry, event, keys.get(personIdOf(event.stream) ?? '')))
}

/** The log told in threads and marks, read on from where it was left. */
export class EventSequences {
  readonly sequences = new Map<string, string[]>()
  eventCount = 0
  #checkpoint: Checkpoint | undefined
  readonly #claims = new Map<string, string>()

  async readNext(parts: Dependencies): Promise<void> {
    const { events, checkpoint } = await readLog(parts, this.#checkpoint)
    for (const fact of await decodeEvents(parts, events)) {
      if (fact.userId !== undefined && (fact.type === 'UserRegistered' || fact.type === 'UserCreated')) this.#claims.set(fact.userId, fact.data.emailClaim)
      const [thread, mark] = eventLabelOf(fact, (id) => this.#claims.get(id) ?? `of nobody, ${id}`) ?? []
      if (thread !== undefined && mark !== undefined) this.sequences.set(thread, [...(this.sequences.get(thread) ?? []), mark])
    }
    this.eventCount += events.length
    this.#checkpoint = checkpoint
  }
}

/** Every stream is one unbroken chain of hashes, without gaps; and positions only grow. */
export function expectUnbrokenChains(events: readonly StoredEvent[]): void {
  const heads = new Map<string, { readonly revision: number; readonly hash: string }>()
  const broken: string[] = []
  let last: StoredEvent | undefined
  for (const event of events) {
    const { stream, revision, position, metadata } = event
    const head = heads.get(stream)
    const { previous }: { previous?: unknown } = Object(JSON.parse(metadata))
    if (revision !== (head ? head.revision + 1 : 0) || previous !== (head?.hash ?? null)) broken.push(`${stream}#${revision}`)
    if (last && comparePositions(last.position, position) >= 0) broken.push(`position ${position}`)
    heads.set(stream, { revision, hash: eventHash(stream, revision, event) })
    last = event
  }
  expect(broken, 'links of hash chains that do not hold').toEqual([])
}

/** All documents of a view in their order, and what is left of deleted ones. */
export async function documentsOf(
  { documents, projections }: Pick<ReadModelStore, 'documents' | 'projections'>,
  view: Projection,
  alsoIds: readonly string[] = [],
) {
  const { serving: collection } = await loadProjectionState(projections, view)
  const order: string[] = []
  for (let cursor: string | undefined, more = true; more;) {
    const page = await documents.find(collection, { limit: 500, ...(cursor !== undefined && { cursor }) })
    order.push(...page.documents.map(({ id }) => id))
    cursor = page.next
    more = cursor !== undefined
  }
  const stored = await documents.read(collection, [...new Set([...order, ...alsoIds])])
  return { order, documents: Object.fromEntries([...stored].map(([id, { document, position }]) => [id, { document, position }])) }
}

export type Contents = Readonly<Record<string, Awaited<ReturnType<typeof documentsOf>>>>

export async function allDocuments(store: ReadModelStore, alsoIds: readonly string[] = []): Promise<Contents> {
  return Object.fromEntries(await Promise.all(allProjections.map(async (view) => [view.name, await documentsOf(store, view, alsoIds)] as const)))
}

/** What the views say when they are built from the log alone, in a store of their own. */
export async function rebuildReadModels({ eventStore, personKeys }: Dependencies, alsoIds: readonly string[] = []): Promise<Contents> {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-anew-'))
  const store = openSqliteReadModelStore(join(folder, 'views.sqlite'))
  const done = new AbortController()
  const log = { info() {}, warn() {}, error() {} }
  const projector = runProjector({
    registry: eventRegistry,
    eventStore,
    store,
    personKeys,
    projections: allProjections,
    signal: done.signal,
    log,
    batchSize: 97,
  })
  try {
    await until(
      async () => (await readProjectionStatus(eventStore, store, allProjections)).every(({ caughtUp, building }) => caughtUp && !building),
      'the views to be built anew',
      120_000,
    )
    return await allDocuments(store, alsoIds)
  } finally {
    done.abort()
    await projector
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The views are what the log says, none of it set aside. */
export async function expectReadModelsMatchLog(parts: Dependencies, facts: readonly RecordedEvent<AnyEvent>[]): Promise<void> {
  const people = [...new Set(facts.flatMap(({ userId: id }) => id ?? []))]
  expect(await allDocuments(parts.readModelStore, people)).toEqual(await rebuildReadModels(parts, people))
  expect(await parts.readModelStore.deadLetters.list()).toEqual([])
}

export interface Mails {
  /** Mails handed over. */
  readonly sent: number
  /** Facts whose mail had become pointless before it went out. */
  readonly unexpected: number
  /** What kills left of mails that were being written. */
  readonly temporaryFiles: number
}

/** Exactly one whole mail for each fact that causes one; none for the erased, nor where a newer one made it pointless. */
export async function expectMailsFor(dataDir: string, parts: Dependencies, facts: readonly RecordedEvent<AnyEvent>[]): Promise<Mails> {
  const outbox = embeddedPaths.outbox(dataDir)
  const names = readdirSync(outbox)
  const mails = new Set(names.filter((name) => name.endsWith('.eml')))
  const erased = new Set(facts.flatMap((fact) => (fact.type === 'UserDeleted' ? (fact.userId ?? []) : [])))
  const [missing, unexpected]: [string[], string[]] = [[], []]
  let [causes, pointless] = [0, 0]
  for (const fact of facts) {
    if (!mailJobOf(fact)) continue
    causes += 1
    const name = `${fact.userId}.${fact.id}.eml`
    const there = mails.delete(name)
    const maybePointless = fact.type === 'PasswordResetRequested' || fact.type === 'UserCreated'
    if (erased.has(fact.userId ?? '')) {
      if (there) unexpected.push(`${name} to somebody erased`)
    } else if (!there && maybePointless) pointless += 1
    else if (!there) missing.push(`${name} about ${fact.type}`)
    else {
      const mail = await PostalMime.parse(readFileSync(join(outbox, name)))
      if (!mail.to?.[0]?.address || !mail.subject || !mail.text || !mail.html) unexpected.push(`${name} is not whole`)
    }
  }
  expect({ missing, unexpected, strangers: [...mails] }).toEqual({ missing: [], unexpected: [], strangers: [] })
  // A link is pointless only once there is a newer one.
  const resets = facts.filter(({ type, userId: id }) => type === 'PasswordResetRequested' && !erased.has(id ?? ''))
  const newest = new Map(resets.map((fact) => [fact.userId, fact.id]))
  for (const [id, job] of newest) expect(names, 'the mail with the newest link').toContain(`${id}.${job}.eml`)

  const counts = await parts.outbox.counts()
  const failed = await parts.outbox.failed()
  expect(counts.waiting).toBe(0)
  expect(counts.sent + counts.failed, 'jobs done').toBe(causes)
  // Somebody may be erased in the moment between the mail and its handing over.
  expect(failed.filter(({ stream }) => !erased.has(personIdOf(stream) ?? ''))).toEqual([])
  return {
    sent: names.filter((name) => name.endsWith('.eml')).length,
    unexpected: pointless,
    temporaryFiles: names.filter((name) => name.endsWith('.tmp')).length,
  }
}

/** Each certificate's file is there byte for byte; of the erased nothing is left, and their emails are free. */
export async function expectFilesFor(dataDir: string, facts: readonly RecordedEvent<AnyEvent>[]): Promise<{ readonly orphans: number }> {
  const erased = new Set(facts.flatMap((fact) => (fact.type === 'UserDeleted' ? (fact.userId ?? []) : [])))
  const folder = embeddedPaths.files(dataDir)
  const expected = new Set<string>()
  for (const fact of facts) {
    if (fact.type !== 'CertificateIssued' || erased.has(fact.userId ?? '')) continue
    const bytes = readFileSync(join(folder, fact.data.file))
    expect(createHash('sha256').update(bytes).digest('hex'), fact.data.file).toBe(fact.data.sha256)
    expected.add(fact.data.file)
  }
  for (const id of erased) expect(existsSync(join(folder, userFilesPrefix(userId.parse(id)))), `files of ${id}, who was erased`).toBe(false)
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return { orphans: all.length - expected.size }
}

/** Nobody holds an email who does not use it. */
export async function expectEmailsAvailable(parts: Dependencies, emails: readonly string[]): Promise<void> {
  const held: string[] = []
  for (const email of emails) {
    const { holder } = (await parts.repositories.of(emailClaims).load(parts.secrets.emailHash(email))).state
    if (holder) held.push(`${email} by ${holder}`)
  }
  expect(held, 'emails that were given up and are not free').toEqual([])
}

export async function expectErased(parts: Dependencies, facts: readonly RecordedEvent<AnyEvent>[]): Promise<void> {
  const erased = facts.flatMap((fact) => (fact.type === 'UserDeleted' ? [parseStreamName(fact.stream).id] : []))
  const keys = await parts.personKeys.get(erased)
  expect(
    erased.filter((id) => keys.get(id) !== 'destroyed'),
    'keys of the erased that still open',
  ).toEqual([])
}

/** SQLite finds nothing wrong with any of the files. */
export function expectSoundFiles(dataDir: string): void {
  for (const path of [embeddedPaths.events, embeddedPaths.keys, embeddedPaths.views, embeddedPaths.sessions, embeddedPaths.mail].map((of) => of(dataDir))) {
    const database = openSqlite(path, { part: path, durability: 'full' })
    try {
      expect(database.statement('PRAGMA integrity_check').all(), path).toEqual([{ integrity_check: 'ok' }])
    } finally {
      database.close()
    }
  }
}
