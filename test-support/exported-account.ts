import { hash } from 'node:crypto'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { createAccountTimelines } from '#services/oversight/audit/server/account-timeline.ts'
import { type AccountChanges, beginStageIn, openAccount } from '#services/trading/stream/account.ts'
import { issueCertificate, nextCertificateId } from '#services/trading/stream/certificate.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import {
  accountIdOf,
  adminKeyId,
  enrolmentIdOf,
  payoutId,
  programmeId,
  type UserId,
  userId,
} from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { approvePayout, rejectPayout, requestPayout } from '#services/trading/stream/payout.ts'
import {
  type CommittedHeads,
  SEALS_ID,
  introduceSealingKey,
  sealEvents,
  sealStreams,
  succeedSealingKey,
} from '#services/proof/seal.ts'
import { issueAdminKey, signInAdmin, adminKeyStreams } from '#services/identity/staff/access-key.ts'
import {
  accountStreamEvents,
  accountStreams,
  type AccountState,
  type AccountStreamEvent,
  changeByStaff,
} from '#services/trading/stream/account-aggregate.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import {
  type UserStreamEvent,
  userStreams,
  banUser,
  changeProfile,
  firstAccount,
  registerUser,
  unbanUser,
} from '#services/identity/users/user.ts'
import { isOneOf } from '#services/event-sourcing/event-definitions.ts'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { type Context, metadata, systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { deriveSecrets } from '#services/process/keys/derived-secrets.ts'
import { accountExport } from '#services/proof/account-export.ts'
import { canonicalJson, type JsonValue } from '#services/proof/canonical-json.ts'
import { signedExportText } from '#services/proof/export-format.ts'
import { emptyMap, type HeadMap, keyOf, proveHead, rootOf, toBytes, withHead } from '#services/proof/head-map.ts'
import { nodeOf } from '#services/proof/merkle-tree.ts'
import { endorsementText } from '#services/proof/signed-texts.ts'
import { signingKey, type SigningKey } from '#services/proof/seal-signing.ts'
import { leafOfEvent } from '#services/proof/stored-event-bytes.ts'
import type { TransparencyLog } from '#services/proof/transparency-log.ts'
import { checkpointBody, checkpointNote } from '#services/proof/tree-checkpoint.ts'
import { consistencyPath, inclusionPath, multiProof, type TreeNode } from '#services/proof/tree-proofs.ts'
import type { Subtree } from '#services/proof/tree-verification.ts'
import { isMembers } from './export-attacks.ts'
import { hashOfSubtree } from './merkle-tree.ts'
import { collect, createTestLog } from './sample-events.ts'
import { storedEvents } from './stores.ts'

/** An account with some of every decision, in a log with others' events, and its exports. */

/** Whose file it is: a trader's withholds who decided, an auditor's has the sign-ins of administrators. */
export const exportKinds = ['trader', 'auditor'] as const
export type ExportKind = (typeof exportKinds)[number]

export interface ExportedAccountOptions {
  /** Balance changes beside the decisions. */
  readonly changes?: number
  /** How many of the newest checkpoints were not made yet: the others cover fewer events. */
  readonly uncovered?: number
  /** What others attest of the checkpoint. */
  readonly attest?: Attest
  /** What an operator with all keys records at the end, before the newest checkpoint. */
  readonly recordedLast?: (desk: Desk) => Promise<unknown>
  /** An enrolment at the end, and the terms that its stage begins with. */
  readonly enrolled?: {
    readonly terms: ProgrammeTerms
    readonly hash: string
    readonly acceptedHash: string
    /** What the portal records of the stage then. */
    readonly recorded?: readonly ((state: AccountState) => readonly AccountStreamEvent[])[]
  }
}

/** The streams of Ada, whose clock can be set. */
interface Desk {
  readonly owner: UserId
  append(event: UserStreamEvent | AccountStreamEvent): Promise<unknown>
  /** @param pace Ms that pass with each append. */
  setClock(at: number, pace: number): void
  readonly now: () => number
}

const owner = userId.parse('ada00000')
const other = userId.parse('bob00000')
const staff = adminKeyId.parse('dana')
const dana: Context = {
  actor: { kind: 'admin', id: staff, label: 'Dana, risk desk' },
  requestId: 'r1',
  causationId: 'r1',
  correlationId: 'r1',
}
const erin: Context = { ...dana, actor: { kind: 'admin', id: adminKeyId.parse('erin'), label: 'Erin, payouts' } }
const ada: Context = { actor: { kind: 'trader', id: owner }, requestId: 'r2', causationId: 'r2', correlationId: 'r2' }
const identity = {
  email: 'ada@example.com',
  country: 'uk',
  city: 'London',
  street: 'St James Square',
  houseNumber: '12',
}

export async function exportedAccount({
  changes = 2,
  uncovered = 0,
  attest,
  recordedLast,
  enrolled,
}: ExportedAccountOptions = {}) {
  const log = createTestLog()
  const { actorHash } = deriveSecrets('the root secret of an exported account')
  const sealer = systemContext('sealer', 'sealing')
  let clock = Date.UTC(2026, 5, 25)
  let pace = 3_600_000
  const repositories = createRepositories(eventRegistry, log.eventStore, log.keys, {
    now: () => (clock += pace),
    secrets: { actorHash },
  })
  const [user, account] = [repositories.of(userStreams), repositories.of(accountStreams)]
  const register = async (id: typeof owner, fullName: string) => {
    const registration = { ...identity, fullName, emailClaim: 'c', passwordHash: 'h', privacyPolicyAgreed: true }
    await user.decide(id, ada, (state) => [
      ...registerUser(state, registration, { emailClaim: 'c', since: 0 }),
      firstAccount(id),
    ])
    await account.decide(accountIdOf(id, 1), ada, (state) => openAccount(state.account, accountIdOf(id, 1)))
  }
  const set = (wanted: AccountChanges, id = owner) =>
    account.decide(accountIdOf(id, 1), dana, (state) => changeByStaff(state, wanted, {}, null, clock))

  const [first, second] = [await signingKey(log.keys, 1, 0), await signingKey(log.keys, 2, 1)]
  /** Numbers of leaves that a checkpoint may have: the last of them commits to heads. */
  const sizes: number[] = []
  const commit = async () => {
    const size = (await storedEvents(log)).length
    sizes.push(size + 1)
    // What it says is filled in by withHeads.
    const data = { size, streams: 0, root: '', restorations: [] }
    await repositories.of(sealStreams).decide(SEALS_ID, sealer, () => [{ type: 'StreamHeadsCommitted', data }])
  }

  await repositories
    .of(sealStreams)
    .decide(SEALS_ID, sealer, (state) =>
      introduceSealingKey(state, { keyId: first.id, publicKey: first.publicKey, endorsement: null }),
    )
  await repositories
    .of(adminKeyStreams)
    .decide(staff, sealer, (key) => issueAdminKey(key, 'Dana, risk desk', 'admin', 'hash'))
  await register(owner, 'Ada Lovelace')
  await repositories.of(adminKeyStreams).decide(staff, dana, (key) => signInAdmin(key, () => true, 0))
  await set({ status: 'active', balance: toCents(5_000_000), payoutEnabled: true, phase: 'Phase 1' })
  await register(other, 'Bob')
  await account.decide(accountIdOf(owner, 1), ada, (state) =>
    requestPayout(
      state,
      { amount: toCents(781_400), method: 'paypal', details: 'ada@pay.example', destination: null, idempotency: null },
      clock,
    ),
  )
  await account.decide(accountIdOf(owner, 1), dana, (state) =>
    rejectPayout(state, payoutId.parse(`${owner}-a1-p1`), 'Proof of address is missing'),
  )
  const succession = {
    keyId: second.id,
    publicKey: second.publicKey,
    endorsement: first.sign(endorsementText(first.id, second)),
  }
  await repositories.of(sealStreams).decide(SEALS_ID, sealer, (state) => succeedSealingKey(state, first.id, succession))
  for (let n = 0; n < changes; n++) {
    await set({ balance: toCents(5_000_000 + n + 1) }, n % 5 === 4 ? other : owner)
    if (n % 10 === 9) await commit()
  }
  await account.decide(accountIdOf(owner, 1), erin, (state) =>
    approvePayout(state, payoutId.parse(`${owner}-a1-p1`), { notes: 'Received', now: clock }),
  )
  const revert = { token: 'revert-token', tokenHash: 'revert-hash', expiresAt: clock + 72 * 3_600_000 }
  const moved = { city: 'Turin', email: 'ada@countess.example' }
  await user.decide(owner, ada, (state) => changeProfile(state, moved, { emailClaim: 'c2', since: clock }, revert))
  const certificate = { name: 'Phase 1 passed', issuedAt: '2026-11-03', file: 'f.pdf', size: 1, sha256: 'ab' }
  await account.decide(accountIdOf(owner, 1), dana, (state) =>
    issueCertificate(state, { certificateId: nextCertificateId(state), ...certificate }),
  )
  await user.decide(owner, dana, (state) => banUser(state, 'Copied trades'))
  await user.decide(owner, dana, unbanUser)
  await commit()
  await set({ dailyDrawdownLimit: '5% / $250', login: '900100', masterPassword: 'the-master-password' })
  await commit()
  await set({ status: 'breached', balance: toCents(4_400_000) })
  if (recordedLast) {
    await recordedLast({
      owner,
      append: (event) =>
        isOneOf(accountStreamEvents, event)
          ? account.decide(accountIdOf(owner, 1), dana, () => [event])
          : user.decide(owner, dana, () => [event]),
      setClock(at, ms) {
        clock = at
        pace = ms
      },
      now: () => clock,
    })
    await commit()
  }
  if (enrolled) {
    const { terms, hash: ofTerms, acceptedHash, recorded = [] } = enrolled
    const version = { programme: programmeId.parse('two-step-100000'), version: 1, hash: ofTerms }
    const id = enrolmentIdOf(owner, 1)
    const enrolment = { enrolmentId: id, ...version, name: terms.name, accepted: null, order: null }
    await user.decide(owner, dana, () => [
      { type: 'TraderEnrolled', data: { ...enrolment, account: accountIdOf(owner, 1) } },
    ])
    await account.decide(accountIdOf(owner, 1), dana, (state) =>
      beginStageIn(state.account, accountIdOf(owner, 1), { enrolmentId: id, ...version, stage: 0, terms }),
    )
    await user.decide(owner, ada, () => [{ type: 'TermsAccepted', data: { enrolmentId: id, hash: acceptedHash } }])
    for (const decide of recorded)
      await account.decide(accountIdOf(owner, 1), systemContext('rules', 'rules'), (state) => [...decide(state)])
    await commit()
  }

  const events = withHeads(await storedEvents(log))
  const covered = sizes[sizes.length - 1 - uncovered] ?? 0
  const actorOf = (event: StoredEvent) => metadata.parse(JSON.parse(event.metadata)).actor.kind
  const isOwn = ({ stream }: StoredEvent) =>
    stream === streamName(userStreams, owner) || stream === streamName(accountStreams, accountIdOf(owner, 1))
  const logOf = (
    all: readonly StoredEvent[],
    key: SigningKey = second,
    size = all.length - (events.length - covered),
  ) => memoryTransparencyLog(withHeads(all), key, size, attest)
  /** The file that the portal writes when its log holds these events, and its tree is this. */
  const fileOf = async (
    kind: ExportKind,
    inLog: readonly StoredEvent[] = events,
    transparencyLog: TransparencyLog = logOf(events),
  ): Promise<string> => {
    // Someone who tampers with the log cannot decrypt: then nothing is disclosed.
    const disclosed = inLog === events ? undefined : async () => []
    const shown = inLog.filter((event) => isOwn(event) || (kind === 'auditor' && event.type === 'AdminSignedIn'))
    const withholdsMetadata = (event: StoredEvent) => kind === 'trader' && actorOf(event) !== 'trader'
    const sealedSize = { begin: async () => {} }
    const parts = { transparencyLog, repositories, personKeys: log.keys, sealedSize }
    const timeline = await createAccountTimelines({ eventStore: log.eventStore, personKeys: log.keys }).of(owner)
    if (!timeline) throw new Error('The account has no timeline')
    const exported = {
      account: owner,
      sealed: await transparencyLog.newest(),
      streams: timeline.streams,
      events: shown,
      withholdsMetadata,
      disclosuresOf: disclosed ?? timeline.readDisclosures,
    }
    return (await collect(accountExport(exported, parts))).join('')
  }
  const files = { trader: await fileOf('trader'), auditor: await fileOf('auditor') }
  return {
    account: owner,
    keys: [first, second] as const,
    events,
    covered,
    sizes,
    files,
    fileOf,
    logOf,
    close: () => log.close(),
  }
}

/** A file with this content, signed with a key: what someone with the key can make. */
export function signedFile(content: JsonValue, key: SigningKey): string {
  if (!isMembers(content)) return JSON.stringify(content)
  const { signature: _former, ...rest } = { signature: null, ...content }
  const text = unsafeCanonical(rest)
  return JSON.stringify({ ...rest, signature: key.sign(signedExportText(hash('sha256', text))) })
}

/** Also of what has no canonical form: then any text will do, for it is refused before. */
function unsafeCanonical(content: JsonValue): string {
  try {
    return canonicalJson(content)
  } catch {
    return ''
  }
}

/** The events, of which each that commits to heads says what those before it have. */
function withHeads(events: readonly StoredEvent[]): readonly StoredEvent[] {
  let map = emptyMap
  return events.map((event, size) => {
    const data = { size, streams: map.streams, root: rootOf(map).toString('base64'), restorations: [] }
    const whole = event.type === 'StreamHeadsCommitted' ? { ...event, data: JSON.stringify(data) } : event
    map = withEvent(map, whole)
    return whole
  })
}

function headsOf(events: readonly StoredEvent[]): HeadMap {
  return events.reduce(withEvent, emptyMap)
}

function withEvent(map: HeadMap, event: StoredEvent): HeadMap {
  return withHead(map, { key: keyOf(event.stream), revision: event.revision, leaf: toBytes(leafOfEvent(event)) })
}

/** What others attest of a checkpoint: more lines of its note, and a time-stamp token. */
type Attest = (note: string) => { readonly note: string; readonly timestamp: Buffer }

/** A transparency log in memory. @param size of the newest checkpoint; there is none for 0. */
function memoryTransparencyLog(
  events: readonly StoredEvent[],
  key: SigningKey,
  size: number,
  attest: Attest | undefined,
): TransparencyLog {
  const leaves = events.map(leafOfEvent)
  const indexes = new Map(events.map(({ position }, index) => [position, index]))
  const hashOf = ({ level, index }: TreeNode): Uint8Array => {
    const leaf = leaves[index]
    if (level > 0)
      return nodeOf(hashOf({ level: level - 1, index: index * 2 }), hashOf({ level: level - 1, index: index * 2 + 1 }))
    if (!leaf) throw new RangeError(`The log has no event ${index}`)
    return leaf
  }
  const headsAt = (covered: number): CommittedHeads => {
    const event = events[covered - 1]
    if (event?.type !== 'StreamHeadsCommitted') throw new Error(`Event ${covered} does not commit to heads`)
    return { ...sealEvents.StreamHeadsCommitted.schema.parse(JSON.parse(event.data)), revision: event.revision }
  }
  const hashes = (subtrees: Iterable<Subtree>) => Array.from(subtrees, (subtree) => hashOfSubtree(subtree, hashOf))
  return {
    async newest() {
      if (size === 0) return undefined
      const root = hashOfSubtree({ low: 0, high: size }, hashOf)
      const body = checkpointBody({ origin: 'portal.example/log', size, root })
      const note = await checkpointNote(body, key.publicKey, Buffer.from(key.sign(body), 'base64'))
      return { note, size, root, heads: headsAt(size), ...attest?.(note) }
    },
    async headsOf(streams, { size: covered, revision }) {
      const event = events.find(({ type, revision: own }) => type === 'StreamHeadsCommitted' && own === revision)
      if (!event) throw new Error('The log has no such heads')
      const map = headsOf(events.slice(0, covered))
      return { event, proofs: streams.map((stream) => proveHead(map, keyOf(stream))) }
    },
    indexesOf: async (wanted, of) =>
      wanted.map(({ position }) => {
        const index = indexes.get(position)
        return index !== undefined && index < of ? index : undefined
      }),
    inclusionOf: async (of, inSize) => hashes(multiProof(of, inSize)),
    pathOf: async (index, of) => hashes(inclusionPath(index, of)),
    consistencyOf: async (first, second) => hashes(consistencyPath(first, second)),
  }
}
