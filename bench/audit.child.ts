import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { z } from 'zod'
import type { EventToAppend, StoredEvent } from '../infra/event-store/event-store.ts'
import { openSqliteEventStore } from '../infra/event-store/sqlite-event-store.ts'
import { createDiskFileStore } from '../infra/file-store/disk-file-store.ts'
import { openSqliteKeyStore } from '../infra/key-store/sqlite-key-store.ts'
import { openSqliteViewStore } from '../infra/read-model-store/sqlite.ts'
import { type TimelineState, applyEvent, emptyTimelineState } from '../services/audit/account-state.ts'
import { createAccountTimelines } from '../services/audit/account-timeline.ts'
import { formatActorInFull } from '../services/audit/audit-entry.ts'
import type { AccountEvent } from '../services/domain/account/account.ts'
import { payoutId, userId } from '../services/domain/ids.ts'
import { toCents } from '../services/domain/money.ts'
import { registerUser } from '../services/domain/user/user.ts'
import { decodeEvent, encodeEvent, type RecordedEvent } from '../services/event-sourcing/codec/event-codec.ts'
import { eventHash } from '../services/event-sourcing/codec/hash-chain.ts'
import { createRepositories } from '../services/event-sourcing/aggregate-repository.ts'
import { type Context, systemContext } from '../services/event-sourcing/codec/metadata.ts'
import { createPersonKeys } from '../services/event-sourcing/crypto-shredding/person-keys.ts'
import { deriveSecrets } from '../services/keys/derived-secrets.ts'
import { type AnyEvent, eventRegistry, accounts, streamName, users } from '../services/domain/streams.ts'
import { createPublishedSeals } from '../services/proof/published-seals.ts'
import { createSealer } from '../services/proof/sealer.ts'
import { signingKey } from '../services/proof/seal-signing.ts'
import { verifyLog } from '../services/proof/log-verification.ts'
import { auditInput, type auditOutcome } from './audit-run.ts'
import { inputOf, say, scratchFolder } from './children.ts'
import { inTurn } from './statistics.ts'

/** Asks an auditor's questions of somebody to whom very much happened, and verifies the log. */

const { events: count, rounds } = inputOf(auditInput)

const folder = scratchFolder('audit')
const eventStore = openSqliteEventStore(join(folder, 'events.sqlite'))
const keyStore = openSqliteKeyStore(join(folder, 'keys.sqlite'))
const viewStore = openSqliteViewStore(join(folder, 'views.sqlite'))
const keys = createPersonKeys(keyStore, deriveSecrets('a master key for benches of 32 characters'))
const repositories = createRepositories(eventRegistry, eventStore, keys)
const outside = createPublishedSeals(createDiskFileStore(join(folder, 'seals')))
const sealer = createSealer({ eventStore, repositories, personKeys: keys, publishedSeals: outside, checkpoints: viewStore, now: Date.now })
const dana: Context = {
  actor: { kind: 'admin', id: '0123456789abcdef0123456789abcdef', label: 'Dana, payouts desk' },
  requestId: 'r',
  causationId: 'r',
  correlationId: 'r',
}

const id = userId.parse('trader000000000000000000')
await fill()
await sealer.sealAll()
const publicKey = await signingKey(keys, 1)

const stories = createAccountTimelines({ eventStore, personKeys: keys })
const story = await stories.of(id)
if (!story) throw new Error('There is no story')
const facts = await decoded()
let bytes = 0
let freshPages = 0
const sides = {
  moment: async () => void (await story.stateAfter(story.accountEntries[Math.floor(Math.random() * story.accountEntries.length)] ?? nowhere())),
  fold: async () => void facts.reduce<TimelineState>((folded, fact) => applyEvent(folded, fact), emptyTimelineState),
  page: async () => void (await (await stories.of(id))?.readAuditEntries(story.allEntries.slice(0, 100), formatActorInFull)),
  // Another one each time: nobody has looked at it before.
  fresh: async () => {
    const from = 100 * (freshPages++ + 1)
    await (await stories.of(id))?.readAuditEntries(story.allEntries.slice(from, from + 100), formatActorInFull)
  },
  read: async () => {
    for await (const page of eventStore.readStream(streamName(accounts, id), 0, 100)) if (page.length > 0) break
  },
  verify: async () => {
    const { finding } = await verifyLog({ eventStore, publishedSeals: outside, keys: [publicKey] })
    if (finding) throw new Error(finding.says)
  },
  sha: async () => {
    bytes = 0
    for await (const { events } of wholeLog())
      for (const { stream, type, data, metadata, id: eventId } of events) {
        const text = stream + type + eventId + data + metadata
        bytes += text.length
        createHash('sha256').update(text).digest()
      }
  },
}

// V8 compiles what is run often: all sides get the time for it.
for (let turn = 0; turn < 10; turn++) for (const side of ['moment', 'fold', 'page', 'fresh', 'read', 'verify', 'sha'] as const) await sides[side]()
const time = async (side: keyof typeof sides) => {
  const began = performance.now()
  await sides[side]()
  return performance.now() - began
}
const asked = await inTurn(rounds * 5, ['moment', 'fold', 'page', 'read'], time)
const looked = await inTurn(rounds, ['fresh', 'read'], time)
const verified = await inTurn(rounds, ['verify', 'sha'], time)
const firstReads = { firstRead: looked.get('read') ?? [], fresh: looked.get('fresh') ?? [] }
const outcome: z.infer<typeof auditOutcome> = { took: { ...Object.fromEntries([...asked, ...verified]), ...firstReads }, bytes }
say(outcome)
for (const store of [eventStore, keyStore, viewStore]) await store.close()
process.disconnect()

async function* wholeLog() {
  const stopped = new AbortController()
  for await (const batch of eventStore.subscribe(undefined, { signal: stopped.signal })) {
    yield batch
    if (batch.caughtUp) stopped.abort()
  }
}

async function decoded(): Promise<RecordedEvent<AnyEvent>[]> {
  const key = (await keys.get([id])).get(id)
  const found: StoredEvent[] = []
  for (const kind of [users, accounts]) for await (const page of eventStore.readStream(streamName(kind, id))) found.push(...page)
  return found.map((event) => decodeEvent(eventRegistry, event, key))
}

/** A life of changing balances, and of payouts asked for and approved. */
async function fill(): Promise<void> {
  const identity = { fullName: 'Ada Lovelace', email: 'ada@example.com', country: 'uk', city: 'London', street: 'S', houseNumber: '1', emailClaim: 'c' }
  await repositories
    .of(users)
    .decide(id, systemContext('bench', 'r'), (state) =>
      registerUser(state, { ...identity, passwordHash: 'h', privacyPolicyAgreed: true }, { emailClaim: 'c', since: 0 }),
    )
  const own: AccountEvent[] = [{ type: 'AccountOpened', data: { userId: id } }]
  let balance = toCents(0)
  for (let n = 1; own.length < count; n++) {
    const before = balance
    balance = toCents(n * 1_050)
    own.push({ type: 'BalanceChanged', data: { from: before, to: balance } }, { type: 'ProfitLossChanged', data: { from: before, to: balance } })
    if (n % 2 === 0) continue
    const payout = payoutId.parse(`${id}-p${(n + 1) / 2}`)
    own.push(
      {
        type: 'PayoutRequested',
        data: { payoutId: payout, amount: toCents(25_000), method: 'bank', details: 'IBAN DE89 3704 0044 0532 0130 00', idempotency: null },
      },
      { type: 'PayoutApproved', data: { payoutId: payout, from: 'pending', amount: toCents(25_000), notes: 'Checked by the payouts desk' } },
    )
  }
  const stream = streamName(accounts, id)
  const key = await keys.getOrCreate(id)
  if (key === 'destroyed') throw new Error('There is no key')
  let previous: string | null = null
  const encoded: EventToAppend[] = []
  for (const [revision, event] of own.slice(0, count).entries()) {
    const requestId = randomUUID()
    const one: EventToAppend = encodeEvent(
      eventRegistry,
      randomUUID(),
      event,
      { ...dana, at: Date.now() + revision, requestId, causationId: requestId, correlationId: requestId, previous },
      key,
    )
    previous = eventHash(stream, revision, one)
    encoded.push(one)
  }
  await eventStore.append(stream, 'none', encoded)
}

function nowhere(): never {
  throw new Error('There is no such fact')
}
