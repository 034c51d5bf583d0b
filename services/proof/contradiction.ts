import { hash } from 'node:crypto'
import { z } from 'zod'
import { AmbiguousJson, parseStrictly } from './canonical-json.ts'
import { formatReceipt, RECEIPT } from './event-receipt.ts'
import { accountExport, type AccountExport, entryText, headsText, streamEnd } from './export-format.ts'
import { keyOfStream, rootByHead } from './head-verification.ts'
import { leafOf } from './merkle-tree.ts'
import { SEALS_STREAM, sealEvents } from './seal.ts'
import { isTrustedKey, keyIdOf } from './signed-texts.ts'
import { fromBase64, isCheckpointSigned, ownNote, parseCheckpoint } from './tree-checkpoint.ts'
import { inclusionPath, subtreesByInclusion } from './tree-proofs.ts'
import { isSameHash, subtreesByMultiProof } from './tree-verification.ts'

/**
 * Proofs of fraud: two statements that a firm signed and that cannot both be true of one log. A statement is an entry at
 * a revision of a stream, or where a stream ended when the log had so many events. Each is proven by a receipt under a
 * signed checkpoint, so a third party needs the file and the published keys, and nothing else.
 */

const FRAUD_FORMAT = 'proofdesk fraud 1'

const statementFile = z.strictObject({
  /** The key that signed its checkpoint, raw, base64. */
  publicKey: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
  /** A C2SP tlog-proof of the entry, or of the event that commits to ends. */
  receipt: z.string().min(1),
  /** For an end, the data of that event, and the proof under its root; null for an entry. */
  end: z
    .strictObject({
      data: z.string().min(1),
      ...streamEnd.shape,
    })
    .nullable(),
})
type StatementFile = z.infer<typeof statementFile>

const fraudFile = z.strictObject({
  format: z.literal(FRAUD_FORMAT),
  statements: z.tuple([statementFile, statementFile]),
})

/** A firm signed this statement about a stream. */
export interface Statement {
  readonly kind: 'entry' | 'end'
  readonly stream: string
  /** The revision of the entry, or of the last one; -1 for a stream without entries. */
  readonly revision: number
  /** The leaf of that entry, hex; empty without one. */
  readonly leaf: string
  /** The index of the entry in the log, or how many events the log had. */
  readonly at: number
  /** For people. */
  readonly says: string
  readonly origin: string
  readonly keyId: string
}

type Claim = Omit<Statement, 'origin' | 'keyId'>

/** Files prove no fraud, or are none of ours. One sentence. */
export class NoFraud extends Error {
  override readonly name = 'NoFraud'
}

/** Whether a text is a file that {@link proveFraud} wrote. */
export function isFraudFile(text: string): boolean {
  return text.startsWith('{') && text.includes(`"${FRAUD_FORMAT}"`)
}

/**
 * Looks for fraud in two exports, or an export and a receipt.
 *
 * @param trusted Ids of the firm's keys; without any, both must be signed with the same key.
 * @returns The text of a file that {@link checkFraud} accepts.
 * @throws {NoFraud} with the reason.
 */
export async function proveFraud(one: string, other: string, trusted: readonly string[] = []): Promise<string> {
  const files = [readShown(one), readShown(other)] as const
  const keys = [...new Set(files.flatMap(({ keys: own }) => own))]
  const [a, b] = [await statementsIn(files[0], keys), await statementsIn(files[1], keys)]
  const known = new Map<string, (typeof b)[number][]>()
  for (const each of b) known.set(each.statement.stream, [...(known.get(each.statement.stream) ?? []), each])
  for (const { statement, write } of a)
    for (const candidate of known.get(statement.stream) ?? []) {
      if (!contradict(statement, candidate.statement)) continue
      const file = { format: FRAUD_FORMAT, statements: [await write(), await candidate.write()] }
      const text = `${JSON.stringify(file, null, 2)}\n`
      await checkFraud(text, trusted)
      return text
    }
  throw new NoFraud('They do not contradict each other')
}

/**
 * Checks a file that proves a fraud, on its own.
 *
 * @param trusted Ids of the firm's keys; without any, both statements must be signed with the same key.
 * @throws {NoFraud}
 */
export async function checkFraud(
  text: string,
  trusted: readonly string[] = [],
): Promise<readonly [Statement, Statement]> {
  const { data } = fraudFile.safeParse(jsonOf(text))
  if (!data) throw new NoFraud('This is not a file that proves a fraud')
  const [one, other] = data.statements
  const statements = [await statementOf(one), await statementOf(other)] as const
  const stranger = statements.find(({ keyId }) => trusted.length > 0 && !isTrustedKey(keyId, trusted))
  if (stranger) throw new NoFraud(`One is signed with key ${stranger.keyId}, which you did not name`)
  if (trusted.length === 0 && statements[0].keyId !== statements[1].keyId)
    throw new NoFraud('They are signed with two keys: name both with --key, if both are keys of the firm')
  if (!contradict(...statements)) throw new NoFraud('The two statements do not contradict each other')
  return statements
}

/** Whether no log that only grows can have both. */
function contradict(one: Claim, other: Claim): boolean {
  if (one.stream !== other.stream) return false
  // One revision has one entry, as an entry or as an end.
  if (one.revision === other.revision) return one.revision >= 0 && one.leaf !== other.leaf
  if (one.kind === 'entry' && other.kind === 'entry') return false
  const [lower, higher] = one.revision < other.revision ? [one, other] : [other, one]
  if (lower.kind === 'entry') return false
  // A stream that ended there, when the log already had a later entry of it, or when it ended later before.
  return higher.kind === 'entry' ? higher.at < lower.at : higher.at <= lower.at
}

const entryParts = z.tuple([
  z.string(),
  z.string(),
  z.int().min(0),
  z.string(),
  z.string(),
  z.int(),
  z.int(),
  z.string(),
  z.string(),
])

/** @throws {NoFraud} */
async function statementOf(file: StatementFile): Promise<Statement> {
  try {
    return await readStatement(file)
  } catch (error) {
    if (error instanceof NoFraud) throw error
    throw new NoFraud('A statement can not be read')
  }
}

/** Reads and checks one statement of a file. @throws {Error} */
async function readStatement({ publicKey, receipt, end }: StatementFile): Promise<Statement> {
  const { entry, index, checkpoint } = await readReceipt(receipt)
  if (!(await isCheckpointSigned(checkpoint, publicKey)))
    throw new NoFraud('A checkpoint is not signed with the key that the file names')
  const common = { origin: checkpoint.origin, keyId: await keyIdOf(publicKey) }
  if (end === null) return { ...entryStatement(entry, index), ...common }
  const [, stream, , , type, , , dataHash] = partsOf(entry)
  if (
    stream !== SEALS_STREAM ||
    type !== 'StreamHeadsCommitted' ||
    index !== checkpoint.size - 1 ||
    hash('sha256', end.data) !== dataHash
  )
    throw new NoFraud('The end of a stream is not one that the log commits to')
  return { ...(await endStatement(end)), ...common }
}

function entryStatement(entry: string, index: number): Claim {
  const [, stream, revision, , type, at] = partsOf(entry)
  const says = `entry ${revision} of ${stream} is ${type}, recorded ${timeText(at)}: ${entry}`
  return { kind: 'entry', stream, revision, leaf: leafOf(entry).toString('hex'), at: index, says }
}

async function endStatement({ data, stream, found, siblings }: NonNullable<StatementFile['end']>): Promise<Claim> {
  const heads = sealEvents.StreamHeadsCommitted.schema.parse(jsonOf(data))
  const key = await keyOfStream(stream)
  const end = found && { key: fromBase64(found.key), revision: found.revision, leaf: fromBase64(found.leaf) }
  const root = await rootByHead(key, end ?? undefined, siblings.map(fromBase64))
  if (!root || !isSameHash(root, fromBase64(heads.root))) throw new NoFraud('The end of a stream is not proven')
  const own = end && isSameHash(end.key, key) ? end : undefined
  const [revision, leaf] = own ? [own.revision, Buffer.from(own.leaf).toString('hex')] : [-1, '']
  const says = `when the log had ${heads.size} entries, ${own ? `entry ${revision} was the last of ${stream}` : `${stream} had none`}`
  return { kind: 'end', stream, revision, leaf, at: heads.size, says }
}

function partsOf(entry: string): z.infer<typeof entryParts> {
  const { data } = entryParts.safeParse(jsonOf(entry))
  if (!data) throw new NoFraud('A receipt is not of an entry of a portal')
  return data
}

const timeText = (ms: number): string => new Date(Math.min(Math.max(ms, 0), 8.64e15)).toISOString()

const RECEIPT_FORM =
  /^c2sp\.org\/tlog-proof@v1\n(?:extra ([A-Za-z0-9+/]+={0,2})\n)?index (0|[1-9]\d{0,15})\n((?:[A-Za-z0-9+/]{43}=\n){0,63})\n([^]+)$/

/** A receipt whose entry is under its checkpoint; who signed that is not checked. @throws {NoFraud} */
async function readReceipt(text: string) {
  try {
    const [, extra, index = '', lines = '', note = ''] = RECEIPT_FORM.exec(text) ?? []
    const checkpoint = parseCheckpoint(note)
    const entry = Buffer.from(extra ?? '', 'base64').toString()
    const leaf = { index: Number(index), hash: leafOf(entry) }
    const path = lines.split('\n').slice(0, -1).map(fromBase64)
    const root = (await subtreesByInclusion(leaf, checkpoint.size, path))?.at(-1)?.hash
    if (root && isSameHash(root, checkpoint.root)) return { entry, index: leaf.index, checkpoint }
  } catch {
    // Said below.
  }
  throw new NoFraud('A receipt is not one, or not under its checkpoint')
}

/** A file as text or parsed, with the keys that it names. */
interface Shown {
  readonly content: string | AccountExport
  readonly keys: readonly string[]
}

function readShown(text: string): Shown {
  if (text.startsWith(`${RECEIPT}\n`)) return { content: text, keys: [] }
  const { data } = accountExport.safeParse(jsonOf(text))
  if (!data) throw new NoFraud('One of the files is neither an export nor a receipt')
  return { content: data, keys: data.keys.map(({ publicKey }) => publicKey) }
}

interface ShownStatement {
  readonly statement: Claim
  readonly write: () => Promise<StatementFile>
}

async function statementsIn({ content }: Shown, keys: readonly string[]): Promise<ShownStatement[]> {
  const note = typeof content === 'string' ? (RECEIPT_FORM.exec(content)?.[4] ?? '') : (content.checkpoint ?? '')
  const publicKey = await signerOf(note, keys)
  if (typeof content !== 'string') return statementsOfExport(content, note, publicKey)
  const { entry, index } = await readReceipt(content)
  return [{ statement: entryStatement(entry, index), write: async () => ({ publicKey, receipt: content, end: null }) }]
}

async function signerOf(note: string, keys: readonly string[]): Promise<string> {
  try {
    const checkpoint = parseCheckpoint(note)
    for (const key of keys) if (await isCheckpointSigned(checkpoint, key)) return key
  } catch {
    throw new NoFraud('One of the files has no checkpoint: nothing in it is proven')
  }
  throw new NoFraud('No key that an export names signed both checkpoints')
}

async function statementsOfExport(
  { events, heads, inclusion, checkpoint }: AccountExport,
  signed: string,
  publicKey: string,
): Promise<ShownStatement[]> {
  const { size, root } = parseCheckpoint(checkpoint ?? '')
  const leaves: { readonly index: number; readonly entry: string; readonly hash: Buffer }[] = []
  for (const event of events) {
    if (event.index === null) continue
    const entry = await entryText(event)
    leaves.push({ index: event.index, entry, hash: leafOf(entry) })
  }
  const last = heads ? await headsText(heads.event) : ''
  const all = [...leaves, { index: size - 1, entry: last, hash: leafOf(last) }]
  const subtrees = await subtreesByMultiProof(all, size, inclusion.map(fromBase64))
  if (!subtrees || !isSameHash(subtrees.at(-1)?.hash ?? new Uint8Array(0), root))
    throw new NoFraud('The entries of an export are not under its checkpoint')
  const byRange = new Map(subtrees.map((node) => [`${node.low}-${node.high}`, node.hash]))
  // The paths of known leaves consist of what the multi-proof shows.
  const receiptOf = ({ entry, index }: { readonly entry: string; readonly index: number }): string => {
    const path = inclusionPath(index, size).flatMap(({ low, high }) => byRange.get(`${low}-${high}`) ?? [])
    return formatReceipt(entry, index, path, ownNote(signed))
  }
  const entries = leaves.map((leaf) => ({
    statement: entryStatement(leaf.entry, leaf.index),
    write: async () => ({ publicKey, receipt: receiptOf(leaf), end: null }),
  }))
  const ends = (heads?.streams ?? []).map(async (proof) => {
    const end = { data: heads?.event.data ?? '', ...proof }
    const receipt = receiptOf({ entry: last, index: size - 1 })
    return { statement: await endStatement(end), write: async () => ({ publicKey, receipt, end }) }
  })
  return [...entries, ...(await Promise.all(ends))]
}

function jsonOf(text: string): unknown {
  try {
    return parseStrictly(text)
  } catch (error) {
    if (error instanceof AmbiguousJson)
      throw new NoFraud('A file says something twice, or another program has written it again')
    return undefined
  }
}
