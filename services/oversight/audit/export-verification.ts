import { eventRegistry, personIdOf } from '#services/oversight/event-catalogue.ts'
import { parseStreamName, streamName } from '#services/event-sourcing/aggregate-type.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { accountEvents } from '#services/trading/stream/account.ts'
import { CALENDAR_ID, calendarStreams } from '#services/trading/calendar/calendar.ts'
import { enrolmentEvents } from '#services/identity/users/enrolment.ts'
import { userEvents, userStreams } from '#services/identity/users/user.ts'
import { accountId, ownerOf, userId } from '#services/framework/ids.ts'
import { accountIdOfStream } from './audit-entry.ts'
import { actorHashIn } from '#services/event-sourcing/codec/event-decoding.ts'
import { metadata as metadataSchema } from '#services/event-sourcing/codec/metadata.ts'
import { openDisclosure } from '#services/event-sourcing/crypto-shredding/disclosures.ts'
import { definitionOf } from '#services/event-sourcing/event-registry.ts'
import { canonicalJson, AmbiguousJson, parseStrictly } from '#services/proof/canonical-json.ts'
import { type Confirmed, untimelyEntries } from './entry-times.ts'
import { deriveHistory, type DerivedHistory, type DisclosedFields } from './derived-history.ts'
import {
  type AccountExport,
  accountExport,
  entryText,
  EXPORT_FORMAT,
  type ExportedEvent,
  headsText,
  signedExportText,
  withheldTypes,
} from '#services/proof/export-format.ts'
import { keyOfStream, rootByHead } from '#services/proof/head-verification.ts'
import { type HeadsData, sealEvents } from '#services/proof/seal.ts'
import { endorsementText, isSigned, isTrustedKey, keyIdOf, shortKeyId, textHash } from '#services/proof/signed-texts.ts'
import {
  fromBase64,
  isCheckpointSigned,
  parseCheckpoint,
  type TreeCheckpoint,
} from '#services/proof/tree-checkpoint.ts'
import { hashLeaf, isSameHash, rootByMultiProof } from '#services/proof/tree-verification.ts'

/**
 * Verifies the file of an account's history on its own: offline, in browsers too. It compares no stories: everything it
 * reports is derived from recorded events that are proven to be those of a signed log.
 */

/** The outcome of a verification, with one sentence for people. */
export type ExportVerification = GenuineExport | RefusedExport

export interface GenuineExport extends DerivedHistory {
  readonly outcome: 'genuine'
  readonly account: string
  /**
   * How many of the entries, from the first, are proven: they are all that the account's streams had when the
   * checkpoint was made. The others are recorded, not proven.
   */
  readonly proven: number
  /** When that was, ms since 1970, by the firm's clock. */
  readonly headsAt: number
  /** When the log was set back before that, as the firm recorded it: entries may have been lost then. */
  readonly restorations: HeadsData['restorations']
  /** The name of the log. */
  readonly log: string
  /** The key that signed the file. */
  readonly keyId: string
  /** The checkpoint that proves the entries, as a note. A witness policy is checked against it. */
  readonly checkpoint: string
  /**
   * Its RFC 3161 time-stamp token, base64; null without one. The firm's signature covers it; whose token it is, is not
   * checked.
   */
  readonly checkpointTimestamp: string | null
  /** Whether the reader named a trusted key; then the checkpoint is signed by it or by a successor that it endorsed. */
  readonly isTrusted: boolean
}

/** The same as plain data, which a message can carry. */
export type ProvenExport = Omit<GenuineExport, 'stateAfter'>

export interface RefusedExport {
  /**
   * `foreign`: no export that this program reads. `unproven`: nothing in it is proven. `unbalanced`: the portal recorded
   * it so, and its entries contradict each other.
   */
  readonly outcome: 'altered' | 'unproven' | 'foreign' | 'unbalanced'
  /** One sentence. */
  readonly says: string
}

/** Ends verification. */
class Refusal extends Error {
  override readonly name = 'Refusal'
  constructor(
    readonly outcome: RefusedExport['outcome'],
    readonly says: string,
  ) {
    super(says)
  }
}

const altered = (says: string) => new Refusal('altered', `Altered: ${says}.`)

/**
 * Verifies the text of a file.
 *
 * @param trusted Ids of keys that the reader trusts. Trust extends to successors that a trusted key endorsed. Without
 * any, a genuine file is genuine for someone who trusts the key that the verification names.
 * @param confirmations When others confirm that its checkpoint was there, once they are checked.
 */
export async function verifyExport(
  text: string,
  trusted: readonly string[] = [],
  confirmations: readonly Confirmed[] = [],
): Promise<ExportVerification> {
  try {
    const content = parse(text)
    const { keyIds, trustedIds } = await checkKeys(content, trusted)
    await checkSignature(content)
    const checkpoint = await checkCheckpoint(content, trusted, trustedIds)
    checkOrder(content)
    await checkHashes(content)
    const covered = await checkInclusion(content, checkpoint)
    checkStreams(content)
    const { proven, headsAt, restorations, committed } = await checkHeads(content, covered)
    checkAccounts(content, committed, headsAt)
    await checkChains(content)
    const untimely = untimelyEntries(content.events, committed, [
      { at: headsAt, by: 'its checkpoint' },
      ...confirmations,
    ])
    const history = await derive(content, untimely)
    checkLedgers(history)
    await checkTerms(content)
    checkStaff(content)
    const keyId = keyIds.at(-1) ?? ''
    const attested = { checkpoint: content.checkpoint ?? '', checkpointTimestamp: content.checkpointTimestamp ?? null }
    return {
      outcome: 'genuine',
      account: content.account,
      proven,
      headsAt,
      restorations,
      log: checkpoint.origin,
      keyId,
      isTrusted: trusted.length > 0,
      ...attested,
      ...history,
    }
  } catch (error) {
    if (error instanceof Refusal) return { outcome: error.outcome, says: error.says }
    throw error
  }
}

function parse(text: string): AccountExport {
  const content = read(text)
  const format = typeof content === 'object' && content !== null && 'format' in content ? content.format : undefined
  if (format !== EXPORT_FORMAT)
    throw new Refusal(
      'foreign',
      typeof format === 'string' && format.startsWith('proofdesk export ') ? OTHER_FORMAT : NO_PROOF,
    )
  const { data, error } = accountExport.safeParse(content)
  if (data) return data
  const [issue] = error.issues
  throw altered(
    `a part of the file is missing, empty, unknown or no such thing (${issue?.path.join('.') || 'the whole'})`,
  )
}

const OTHER_FORMAT =
  'This file is in a format of another version of Proofdesk. Download the history again, and check that file.'
const RECEIPT =
  'This is a receipt for one entry, which other programs check (C2SP tlog-proof). Here a whole history is checked: download “History with proof”.'
const PDF =
  'This is a PDF. A certificate is checked on its own page, which its holder shares. Here a history is checked: download “History with proof”.'
const NO_PROOF =
  'This is not a Proofdesk export with proof, or it was cut off. Other downloads, such as CSV, prove nothing.'

function read(text: string): unknown {
  try {
    return parseStrictly(text)
  } catch (error) {
    if (error instanceof AmbiguousJson)
      throw altered('the file says something twice, or another program has written it again')
    if (text.startsWith('c2sp.org/tlog-proof')) throw new Refusal('foreign', RECEIPT)
    throw new Refusal('foreign', text.startsWith('%PDF') ? PDF : NO_PROOF)
  }
}

/** Each key is what its id says, and is endorsed by the one before. */
async function checkKeys(
  { keys }: AccountExport,
  trusted: readonly string[],
): Promise<{ readonly keyIds: readonly string[]; readonly trustedIds: ReadonlySet<string> }> {
  const trustedIds = new Set<string>()
  const keyIds: string[] = []
  for (const [n, key] of keys.entries()) {
    const before = keys[n - 1]
    bytesOf(key.publicKey)
    const id = await keyIdOf(key.publicKey)
    if (shortKeyId(id) !== key.id) throw altered(`key ${key.id} is not the key of this id`)
    const isEndorsed = before
      ? key.endorsement !== null && (await isSigned(endorsementText(before.id, key), key.endorsement, before))
      : key.endorsement === null
    if (!isEndorsed) throw altered(`key ${key.id} does not follow the key before it`)
    if (isTrustedKey(id, trusted) || trustedIds.has(keyIds[n - 1] ?? '')) trustedIds.add(id)
    keyIds.push(id)
  }
  return { keyIds, trustedIds }
}

/** The newest key signed the whole file. */
async function checkSignature({ signature, ...content }: AccountExport): Promise<void> {
  const key = content.keys.at(-1)
  const isWhole = key && (await isSigned(signedExportText(await textHash(canonical(content))), signature, key))
  if (!isWhole) throw altered('the file is not what the portal signed')
}

function canonical(content: Omit<AccountExport, 'signature'>): string {
  try {
    return canonicalJson(content)
  } catch (error) {
    throw altered(error instanceof Error ? error.message : String(error))
  }
}

async function checkCheckpoint(
  { checkpoint: note, checkpointTimestamp, keys }: AccountExport,
  trusted: readonly string[],
  trustedIds: ReadonlySet<string>,
): Promise<TreeCheckpoint> {
  if (note === null) throw new Refusal('unproven', UNPROVEN)
  const checkpoint = readCheckpoint(note)
  if (checkpointTimestamp !== undefined) bytesOf(checkpointTimestamp)
  const signers = await Promise.all(
    keys.map(async ({ publicKey }) =>
      (await isCheckpointSigned(checkpoint, publicKey)) ? keyIdOf(publicKey) : undefined,
    ),
  )
  const signer = signers.findLast((id) => id !== undefined)
  if (signer === undefined) throw altered('its checkpoint is not signed by one of its keys')
  if (trusted.length > 0 && !trustedIds.has(signer))
    throw new Refusal(
      'altered',
      `Not genuine: it is signed with key ${signer}, not with the key that you trust (${trusted.join(', ')}).`,
    )
  return checkpoint
}

function readCheckpoint(note: string): TreeCheckpoint {
  try {
    return parseCheckpoint(note)
  } catch {
    throw altered('its checkpoint is not one')
  }
}

const UNPROVEN =
  'Nothing in this file is proven yet: no checkpoint covers its entries. Download it again in some minutes.'

const nameOf = ({ position, type }: ExportedEvent) => `entry #${position} (${type})`

/** In the order of the log, each once; only the newest may be without proof. */
function checkOrder({ events }: AccountExport): void {
  const ids = new Set(events.map(({ id }) => id))
  if (ids.size !== events.length) throw altered('it has an entry twice')
  for (const [n, event] of events.entries()) {
    const before = events[n - 1]
    if (!before) continue
    if (Number(event.position) <= Number(before.position)) throw altered(`${nameOf(event)} is in the wrong place`)
    if (event.index !== null && (before.index === null || event.index <= before.index))
      throw altered(`${nameOf(event)} has the wrong place in the log`)
  }
}

/** Data and metadata are what their hashes say, or withheld as a whole. */
async function checkHashes({ events }: AccountExport): Promise<void> {
  for (const event of events) {
    const { data, dataHash, metadata, metadataHash } = event
    if ((data === null) === (dataHash === null) || (metadata === null) === (metadataHash === null))
      throw altered(`${nameOf(event)} is neither whole nor withheld`)
    if (withheldTypes.has(event.type) !== (data === null)) throw altered(`the data of ${nameOf(event)} is missing`)
    if (metadata === null) continue
    const { at, version } = beginningIn(metadata) ?? {}
    if (at !== event.at) throw altered(`${nameOf(event)} was recorded at another time`)
    if (version !== event.version) throw altered(`${nameOf(event)} was recorded in another version`)
  }
}

function beginningIn(metadata: string) {
  try {
    return metadataSchema.parse(JSON.parse(metadata))
  } catch {
    return undefined
  }
}

/** A checkpoint's heads, and the leaves of the entries that are in its tree. */
interface CoveredEntries {
  readonly size: number
  readonly heads: NonNullable<AccountExport['heads']>
  /** By the ids of entries. */
  readonly leaves: ReadonlyMap<string, Uint8Array>
}

/** All entries with an index, and the heads, are leaves of the signed tree. */
async function checkInclusion(
  { events, inclusion, heads }: AccountExport,
  { size, root }: TreeCheckpoint,
): Promise<CoveredEntries> {
  const covered = events.filter(({ index }) => index !== null)
  if (covered.length === 0) throw new Refusal('unproven', UNPROVEN)
  if (!heads) throw altered('what its checkpoint says of the ends of streams is missing')
  const leaves = await Promise.all(
    covered.map(async (event) => ({
      id: event.id,
      index: event.index ?? 0,
      hash: await hashLeaf(await entryText(event)),
    })),
  )
  const last = { index: size - 1, hash: await hashLeaf(await headsText(heads.event)) }
  const found = await rootByMultiProof([...leaves, last], size, inclusion.map(bytesOf))
  if (!found || !isSameHash(found, root)) throw altered('its entries are not those that the portal sealed')
  return { size, heads, leaves: new Map(leaves.map(({ id, hash }) => [id, hash])) }
}

/**
 * The file holds each stream of the account up to its head, which the map of heads proves. Returns how many entries,
 * from the first, the heads cover, and when.
 */
async function checkHeads(
  { account, events }: AccountExport,
  { size, heads, leaves }: CoveredEntries,
): Promise<Pick<GenuineExport, 'proven' | 'headsAt' | 'restorations'> & { readonly committed: number }> {
  const committed = headsIn(heads.event.data)
  if (committed.size >= size) throw altered('its ends of streams are of more entries than its checkpoint')
  const isProven = ({ index }: ExportedEvent) => index !== null && index < committed.size
  const wanted = new Set(wantedStreams(account, events))
  for (const { stream, found, siblings } of heads.streams) {
    if (!wanted.delete(stream)) throw altered(`it says where ${stream} ends, which it does not hold`)
    const key = await keyOfStream(stream)
    const end = found && { key: bytesOf(found.key), revision: found.revision, leaf: bytesOf(found.leaf) }
    const root = await rootByHead(key, end ?? undefined, siblings.map(bytesOf))
    if (!root || !isSameHash(root, bytesOf(committed.root)))
      throw altered(`${stream} does not end where its checkpoint says`)
    const own = events.filter((event) => event.stream === stream)
    const sealed = end && isSameHash(end.key, key) ? end : undefined
    const count = (sealed?.revision ?? -1) + 1
    const last = own.at(count - 1)
    if (own.length < count) throw altered(`entries are missing: ${stream} had ${count} when they were sealed`)
    if (sealed && !(last && isSameHash(leaves.get(last.id) ?? new Uint8Array(0), sealed.leaf)))
      throw altered(`${stream} had another entry at its end when it was sealed`)
    if (own.filter(isProven).length !== count) throw altered(`${stream} does not end where its checkpoint says`)
  }
  for (const stream of wanted) throw altered(`where ${stream} ends is not proven`)
  const proven = events.filter(isProven).length
  if (proven === 0) throw new Refusal('unproven', UNPROVEN)
  return { proven, headsAt: heads.event.at, restorations: committed.restorations, committed: committed.size }
}

function headsIn(data: string) {
  try {
    return sealEvents.StreamHeadsCommitted.schema.parse(JSON.parse(data))
  } catch {
    throw altered('what its checkpoint says of the ends of streams can not be read')
  }
}

/** The streams that a file of a user or of an account must hold: those that the user's stream names. */
function wantedStreams(account: string, events: readonly ExportedEvent[]): string[] {
  const one = accountId.safeParse(account).data
  const owner = one ? ownerOf(one) : userId.parse(account)
  const assigned = assignedAccounts(events).map(({ id }) => id)
  const held = events.flatMap(({ stream }) => accountIdOfStream(stream) ?? [])
  const ids = new Set([...assigned, ...held].filter((id) => account === id || account === ownerOf(id)))
  return [streamName(userStreams, owner), ...Array.from(ids, (id) => streamName(accountStreams, id))]
}

function assignedAccounts(events: readonly ExportedEvent[]) {
  return events.flatMap((event) => {
    if (event.type !== 'AccountAssigned' || event.data === null) return []
    try {
      return [{ id: userEvents.AccountAssigned.schema.parse(JSON.parse(event.data)).accountId, event }]
    } catch {
      throw altered(`${nameOf(event)} assigns no account`)
    }
  })
}

/** The bytes of a key, hash or time stamp, which has only one text. */
function bytesOf(text: string): Uint8Array {
  try {
    return fromBase64(text)
  } catch {
    throw altered('a key, hash or time stamp in it is not written as one')
  }
}

/**
 * The streams of the user and of the account, or of all accounts that the user's stream assigns, are complete from
 * their first event; of others there are only sign-ins of administrators and news of the calendar.
 */
function checkStreams({ account, events }: AccountExport): void {
  const one = accountId.safeParse(account).data
  const person = one ? ownerOf(one) : account
  const next = new Map<string, number>()
  for (const event of events) {
    const { stream, revision } = event
    if (personIdOf(stream) !== person) {
      if (parseStreamName(stream).category === 'admin' && event.type === 'AdminSignedIn') continue
      if (stream === streamName(calendarStreams, CALENDAR_ID)) continue
      throw altered(`${nameOf(event)} is about someone else`)
    }
    const streamsAccount = accountIdOfStream(stream)
    if (one && streamsAccount !== null && streamsAccount !== one)
      throw altered(`${nameOf(event)} is about another account`)
    const expected = next.get(stream) ?? 0
    if (revision !== expected) throw altered(`an entry is missing before ${nameOf(event)}`)
    next.set(stream, revision + 1)
  }
  if (next.size === 0) throw altered('it has no entry of this account')
  const news = events.filter(({ stream }) => stream === streamName(calendarStreams, CALENDAR_ID))
  // "A trade that was opened before anything at all was published" is unknown, so the first publication has to be there.
  if (news.length > 0 && news[0]?.revision !== 0) throw altered('the first publication of the calendar is missing')
  for (const [n, { revision }] of news.entries())
    if (n > 0 && revision <= (news[n - 1]?.revision ?? 0)) throw altered('the calendar is not in its order')
}

/** An account is opened at once after it is assigned: a log that was sealed in between may be without its stream. */
const OPENING_TIME = 60_000

/**
 * A file of a user has the streams of all accounts that the user's stream assigns; a file of one account has that one.
 * An assignment that the heads cover needs a stream with a head, unless it is of the last append that they cover. The
 * times of entries say nothing here: the firm writes them.
 *
 * @param committed How many entries of the log the heads cover.
 */
function checkAccounts({ account, events }: AccountExport, committed: number, headsAt: number): void {
  const streams = new Set(events.map(({ stream }) => stream))
  for (const { id, event } of assignedAccounts(events)) {
    const isWanted = account === id || account === ownerOf(id)
    if (!isWanted || streams.has(streamName(accountStreams, id))) continue
    const isCovered = event.index !== null && event.index < committed
    const append = events.filter(({ stream, at, revision }) => {
      return stream === event.stream && at === event.at && revision >= event.revision
    })
    const isLast = append.some(({ index }) => index === committed - 1)
    const isNewer = events.some(({ index, at }) => index === null && at - event.at > OPENING_TIME)
    if (isCovered ? !isLast || headsAt - event.at > OPENING_TIME : isNewer)
      throw altered(`the entries of account ${id} are missing`)
  }
}

/** Each event names the hash of its predecessor, as far as neither withholds anything. */
async function checkChains({ events }: AccountExport): Promise<void> {
  const newest = new Map<string, ExportedEvent>()
  for (const event of events) {
    const before = newest.get(event.stream)
    newest.set(event.stream, event)
    if (event.metadata === null || (event.revision > 0 && before?.revision !== event.revision - 1)) continue
    const { previous } = metadataSchema.parse(JSON.parse(event.metadata))
    if (event.revision === 0 ? previous !== null : previous === null)
      throw altered(`${nameOf(event)} does not follow the entry before it`)
    if (!before || before.data === null || before.metadata === null) continue
    if (previous !== (await chainHash(before))) throw altered(`${nameOf(event)} does not follow the entry before it`)
  }
}

/** Each entry of a ledger begins with the sum of those before it, so that all together are the balance. */
function checkLedgers({ ledgers }: DerivedHistory): void {
  for (const { account, faultAt } of ledgers)
    if (faultAt !== null)
      throw new Refusal(
        'unbalanced',
        `Not in order: the ledger of account ${account} does not add up. Entry #${faultAt} does not begin with the balance that the entries before it come to.`,
      )
}

/**
 * An enrolment names its terms by their hash: what was accepted, and the terms of each stage, are those. So the firm
 * cannot record other terms afterwards.
 */
async function checkTerms({ events }: AccountExport): Promise<void> {
  const hashes = new Map<string, string>()
  for (const event of events) {
    const unlike = (what: string) =>
      new Refusal('unbalanced', `Not in order: ${what} in ${nameOf(event)} are not those that its enrolment names.`)
    switch (event.type) {
      case 'TraderEnrolled': {
        const { enrolmentId, hash, accepted } = dataOf(enrolmentEvents.TraderEnrolled, event)
        if (accepted && accepted.hash !== hash) throw unlike('the accepted terms')
        hashes.set(enrolmentId, hash)
        break
      }
      case 'TermsAccepted': {
        const { enrolmentId, hash } = dataOf(enrolmentEvents.TermsAccepted, event)
        if (hashes.get(enrolmentId) !== hash) throw unlike('the accepted terms')
        break
      }
      case 'StageBegun': {
        const { enrolmentId, hash, terms } = dataOf(accountEvents.StageBegun, event)
        const isTheirs = hashes.get(enrolmentId) === hash && (await textHash(canonicalJson(terms))) === hash
        if (!isTheirs) throw unlike('the terms')
      }
    }
  }
}

/** The data of an event that has no personal fields. */
function dataOf<Data>({ schema }: { readonly schema: { parse(data: unknown): Data } }, event: ExportedEvent): Data {
  try {
    return schema.parse(JSON.parse(event.data ?? ''))
  } catch {
    throw altered(`the data of ${nameOf(event)} can not be read`)
  }
}

/** As far as the file names staff, each name has its own hash, and one hash. */
function checkStaff({ events }: AccountExport): void {
  const names = new Map<string, string>()
  const hashes = new Map<string, string>()
  for (const event of events) {
    const hash = event.data === null ? undefined : actorHashIn(event.data)
    if (hash === undefined || event.metadata === null) continue
    const { actor } = metadataSchema.parse(JSON.parse(event.metadata))
    const id = actor.kind === 'admin' ? actor.id : undefined
    if (id === undefined || (names.get(hash) ?? id) !== id || (hashes.get(id) ?? hash) !== hash)
      throw altered(`${nameOf(event)} names another member of staff than its hash`)
    names.set(hash, id)
    hashes.set(id, hash)
  }
}

/** The same as `eventHash` of services/event-sourcing/codec/hash-chain.ts. */
async function chainHash({ stream, revision, id, type, data, metadata }: ExportedEvent): Promise<string> {
  const parts = [stream, String(revision), id, type, data ?? '', metadata ?? '']
  return textHash(parts.map((part) => `${new TextEncoder().encode(part).length}:${part}`).join(''))
}

/** The personal fields that each entry discloses, each with the commitment of the recorded data. */
async function disclosedFields({ events }: AccountExport): Promise<DisclosedFields[]> {
  return Promise.all(
    events.map(async (event) => {
      const fields = new Map<string, unknown>()
      for (const disclosure of event.disclosures) {
        const { field, value } = await openDisclosure(event.data ?? '', disclosableIn(event), disclosure).catch(() => {
          throw altered(`${nameOf(event)} discloses a field that was not recorded`)
        })
        if (fields.has(field)) throw altered(`${nameOf(event)} discloses a field twice`)
        fields.set(field, value)
      }
      return Object.fromEntries(fields)
    }),
  )
}

function disclosableIn({ type }: ExportedEvent): ReadonlySet<string> {
  return definitionOf(eventRegistry, type).disclosable
}

async function derive(content: AccountExport, untimely: ReadonlyMap<number, string>): Promise<DerivedHistory> {
  try {
    return deriveHistory(content, await disclosedFields(content), untimely)
  } catch (error) {
    if (error instanceof Refusal) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Refusal(
      'altered',
      `Not read: an entry is of a kind that this program does not know (${reason}). Use a newer one.`,
    )
  }
}
