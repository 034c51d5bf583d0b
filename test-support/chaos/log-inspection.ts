import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { expect } from 'vitest'
import { type Checkpoint, comparePositions, type StoredEvent } from '#infra/event-store/event-store.ts'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { openSqliteReadModelStore } from '#infra/read-model-store/sqlite-read-model-store.ts'
import type { Query, ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import { activity } from '#services/oversight/audit/activity-read-model.ts'
import { userId } from '#services/framework/ids.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventHash } from '#services/event-sourcing/codec/hash-chain.ts'
import { type AnyEvent, personIdOf, eventRegistry } from '#services/oversight/event-catalogue.ts'
import { emailClaims } from '#services/identity/users/email-claim.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import { userFilesPrefix } from '#services/trading/certificates/server/certificate-files.ts'
import { loadProjectionState } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { allProjections } from '#services/portal/modules.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import { mailJobOf } from '#services/worker/mail/mail-sender.ts'
import { projectUntil } from '#services/operations/rebuild-and-wait.ts'
import { readProjectionStatus } from '#services/event-sourcing/read-models/projection-progress.ts'
import { labelOf } from './expected-events.ts'
import { decodeEvents, readLog } from '#test-support/stores.ts'

/** Looks at the stores of an installation from outside, as an auditor does. */

/** The sequences of labels in a log. Each read continues where the last one ended. */
export class EventSequences {
  readonly sequences = new Map<string, string[]>()
  eventCount = 0
  #checkpoint: Checkpoint | undefined
  readonly #claims = new Map<string, string>()

  async readNext(parts: Dependencies): Promise<void> {
    const { events, checkpoint } = await readLog(parts, this.#checkpoint)
    for (const event of await decodeEvents(parts, events)) {
      if (event.personId !== undefined && (event.type === 'UserRegistered' || event.type === 'UserCreated'))
        this.#claims.set(event.personId, event.data.emailClaim)
      const [sequence, text] = labelOf(event, (id) => this.#claims.get(id) ?? `unknown, ${id}`) ?? []
      if (sequence !== undefined && text !== undefined)
        this.sequences.set(sequence, [...(this.sequences.get(sequence) ?? []), text])
    }
    this.eventCount += events.length
    this.#checkpoint = checkpoint
  }
}

/** Every stream is an unbroken chain of hashes without gaps, and positions only grow. */
export function expectUnbrokenChains(events: readonly StoredEvent[]): void {
  const heads = new Map<string, { readonly revision: number; readonly hash: string }>()
  const broken: string[] = []
  let last: StoredEvent | undefined
  for (const event of events) {
    const { stream, revision, position, metadata } = event
    const head = heads.get(stream)
    const { previous }: { previous?: unknown } = Object(JSON.parse(metadata))
    if (revision !== (head ? head.revision + 1 : 0) || previous !== (head?.hash ?? null))
      broken.push(`${stream}#${revision}`)
    if (last && comparePositions(last.position, position) >= 0) broken.push(`position ${position}`)
    heads.set(stream, { revision, hash: eventHash(stream, revision, event) })
    last = event
  }
  expect(broken, 'broken links of hash chains').toEqual([])
}

/** All documents of a read model in order, and the traces of deleted ones. */
export async function documentsOf(
  { documents, projections }: Pick<ReadModelStore, 'documents' | 'projections'>,
  view: Projection,
  alsoIds: readonly string[] = [],
  where: NonNullable<Query['where']> = {},
) {
  const { serving: collection } = await loadProjectionState(projections, view)
  const order: string[] = []
  for (let cursor: string | undefined, more = true; more;) {
    const page = await documents.find(collection, { where, limit: 500, ...(cursor !== undefined && { cursor }) })
    order.push(...page.documents.map(({ id }) => id))
    cursor = page.next
    more = cursor !== undefined
  }
  const stored = await documents.read(collection, [...new Set([...order, ...alsoIds])])
  return {
    order,
    documents: Object.fromEntries([...stored].map(([id, { document, position }]) => [id, { document, position }])),
  }
}

export type Contents = Readonly<Record<string, Awaited<ReturnType<typeof documentsOf>>>>

/** What the worker appends as it stops, such as a seal, is not in the activity yet: only what people did is. */
const done: Readonly<Record<string, NonNullable<Query['where']>>> = { [activity.name]: { kind: ['trader', 'admin'] } }

export async function allDocuments(store: ReadModelStore, alsoIds: readonly string[] = []): Promise<Contents> {
  return Object.fromEntries(
    await Promise.all(
      allProjections.map(
        async (view) => [view.name, await documentsOf(store, view, alsoIds, done[view.name])] as const,
      ),
    ),
  )
}

/** The read models rebuilt from the log alone, in a new store. */
export async function rebuildReadModels(
  { eventStore, personKeys }: Dependencies,
  alsoIds: readonly string[] = [],
): Promise<Contents> {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-rebuilt-'))
  const store = openSqliteReadModelStore(join(folder, 'views.sqlite'))
  const log = { info() {}, warn() {}, error() {} }
  try {
    await projectUntil(
      { registry: eventRegistry, eventStore, store, personKeys, projections: allProjections, log, batchSize: 97 },
      async () =>
        (await readProjectionStatus(eventStore, store, allProjections)).every(
          ({ caughtUp, building }) => caughtUp && !building,
        ),
    )
    return await allDocuments(store, alsoIds)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The read models follow from the log, without dead letters. */
export async function expectReadModelsMatchLog(
  parts: Dependencies,
  events: readonly RecordedEvent<AnyEvent>[],
): Promise<void> {
  const people = [...new Set(events.flatMap(({ personId }) => personId ?? []))]
  expect(await allDocuments(parts.readModelStore, people)).toEqual(await rebuildReadModels(parts, people))
  expect(await parts.readModelStore.deadLetters.list()).toEqual([])
}

/**
 * Each event that causes a mail has one. Only an outdated link and a mail to a deleted user may be missing.
 *
 * @param delivered the number of mails by the id of their event
 * @param mostOf the number of mails that an event may have
 */
export async function expectMails(
  { outbox }: Dependencies,
  events: readonly RecordedEvent<AnyEvent>[],
  delivered: ReadonlyMap<string, number>,
  mostOf: (event: RecordedEvent<AnyEvent>) => number,
): Promise<{ readonly causes: number; readonly outdated: number }> {
  const deleted = deletedUsers(events)
  const isLink = ({ type }: RecordedEvent<AnyEvent>) => type === 'PasswordResetRequested' || type === 'UserCreated'
  // They end with the password or the address.
  const endsLinks = ({ type, data }: RecordedEvent<AnyEvent>) =>
    type === 'PasswordReset' ||
    type === 'PasswordChanged' ||
    type === 'EmailChangeReverted' ||
    (type === 'ProfileChanged' && data.emailClaim !== null)
  const ended = new Set<string>()
  const openLinks = new Map<string | undefined, string[]>()
  for (const event of events) {
    if (isLink(event)) openLinks.set(event.personId, [...(openLinks.get(event.personId) ?? []), event.id])
    if (!endsLinks(event)) continue
    for (const id of openLinks.get(event.personId) ?? []) ended.add(id)
    openLinks.delete(event.personId)
  }
  // An address that was changed or confirmed since has no mail of the sign-up.
  const settledAddresses = new Set(
    events.flatMap((event) =>
      event.type === 'EmailConfirmed' ||
      event.type === 'PasswordReset' ||
      (event.type === 'ProfileChanged' && event.data.emailClaim !== null)
        ? [event.personId]
        : [],
    ),
  )
  const strangers = new Set(delivered.keys())
  const wrong: string[] = []
  let [causes, outdated] = [0, 0]
  for (const event of events) {
    if (!mailJobOf(event) || (event.type === 'PasswordReset' && !event.data.mailed)) continue
    causes += 1
    // The first phase of an account, and the end of its last one, are no news.
    if (event.type === 'PhaseChanged' && (event.data.from === null || event.data.to === null)) continue
    const isOutdated =
      deleted.has(event.personId ?? '') ||
      ended.has(event.id) ||
      (event.type === 'UserRegistered' && settledAddresses.has(event.personId))
    // A changed email is mailed about to both addresses.
    const ids = event.type === 'EmailRevertOffered' ? [event.id, `${event.id}-1`] : [event.id]
    for (const id of ids) strangers.delete(id)
    const counts = ids.map((id) => delivered.get(id) ?? 0)
    if (counts.includes(0) && isOutdated) outdated += 1
    else if (counts.some((count) => count === 0 || count > mostOf(event)))
      wrong.push(`${counts.join(', ')} mails about ${event.type} ${event.id}`)
  }
  expect({ wrong, strangers: [...strangers] }).toEqual({ wrong: [], strangers: [] })
  // A user may be deleted between the writing of a mail and its delivery.
  const failed = await outbox.failed()
  expect(failed.filter(({ stream }) => !deleted.has(personIdOf(stream) ?? ''))).toEqual([])
  return { causes, outdated }
}

/** The same for a data folder: one complete mail each, and none to a deleted user. Returns one line about them. */
export async function expectMailFiles(
  dataDir: string,
  parts: Dependencies,
  events: readonly RecordedEvent<AnyEvent>[],
): Promise<string> {
  const outbox = embeddedPaths.outbox(dataDir)
  const names = readdirSync(outbox).filter((name) => name.endsWith('.eml'))
  for (const name of names) {
    const mail = await PostalMime.parse(readFileSync(join(outbox, name)))
    expect([mail.to?.[0]?.address, mail.subject, mail.text, mail.html].every(Boolean), `${name} is complete`).toBe(true)
  }
  const delivered = new Map(names.map((name) => [name.split('.')[1] ?? '', 1]))
  const deleted = deletedUsers(events)
  const { causes, outdated } = await expectMails(parts, events, delivered, ({ personId: id = '' }) =>
    deleted.has(id) ? 0 : 1,
  )
  const counts = await parts.outbox.counts()
  expect(counts.waiting).toBe(0)
  expect(counts.sent + counts.failed, 'jobs done').toBe(causes)
  return `${names.length} mails (${outdated} outdated)`
}

/** Each certificate's file is stored byte for byte; a deleted user has none. */
export async function expectFiles(
  { fileStore, config }: Dependencies,
  events: readonly RecordedEvent<AnyEvent>[],
): Promise<void> {
  const deleted = deletedUsers(events)
  for (const event of events) {
    if (event.type !== 'CertificateIssued' || deleted.has(event.personId ?? '')) continue
    const stored = await fileStore.get(event.data.file)
    const bytes = stored && (await buffer(stored.content))
    expect(bytes && createHash('sha256').update(bytes).digest('hex'), event.data.file).toBe(event.data.sha256)
  }
  for (const id of deleted)
    expect(
      existsSync(join(embeddedPaths.files(config.dataDir), userFilesPrefix(userId.parse(id)))),
      `files of ${id}`,
    ).toBe(false)
}

/** Emails that users gave up belong to no one. */
export async function expectEmailsAvailable(
  { repositories, secrets }: Dependencies,
  emails: readonly string[],
): Promise<void> {
  const claims = await Promise.all(
    emails.map(async (email) => (await repositories.of(emailClaims).load(secrets.emailHash(email))).state.holder),
  )
  expect(claims.filter((holder) => holder)).toEqual([])
}

/** The keys of deleted users are destroyed. */
export async function expectErased(
  { personKeys }: Dependencies,
  events: readonly RecordedEvent<AnyEvent>[],
): Promise<void> {
  const deleted = [...deletedUsers(events)]
  const keys = await personKeys.get(deleted)
  expect(deleted.filter((id) => keys.get(id) !== 'destroyed')).toEqual([])
}

/** SQLite finds every file of a data folder intact. */
export function expectSoundFiles(dataDir: string): void {
  for (const path of [
    embeddedPaths.events,
    embeddedPaths.keys,
    embeddedPaths.views,
    embeddedPaths.sessions,
    embeddedPaths.mail,
  ].map((of) => of(dataDir))) {
    const database = openSqlite(path, { part: path, durability: 'full' })
    try {
      expect(database.statement('PRAGMA integrity_check').all(), path).toEqual([{ integrity_check: 'ok' }])
    } finally {
      database.close()
    }
  }
}

function deletedUsers(events: readonly RecordedEvent<AnyEvent>[]): ReadonlySet<string> {
  return new Set(events.flatMap((event) => (event.type === 'UserDeleted' ? (event.personId ?? []) : [])))
}
