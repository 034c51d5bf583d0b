import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { Document } from '../../../infra/read-model-store/read-model-store.ts'
import { difference } from '../../audit/state-difference.ts'
import { createAccountTimelines, type AccountTimeline } from '../../audit/account-timeline.ts'
import { applyChanges } from '../../../test-support/changed-moments.ts'
import { formatActorInFull } from '../../audit/audit-entry.ts'
import type { AuditState } from '../../api/index.ts'
import { changeAccount, openAccount } from '../../domain/account/account.ts'
import { issueCertificate, nextCertificateId } from '../../domain/certificate/certificate.ts'
import type { UserId } from '../../domain/ids.ts'
import { payoutId, userId } from '../../domain/ids.ts'
import { toCents } from '../../domain/money.ts'
import { approvePayout, rejectPayout, requestPayout } from '../../domain/payout/payout.ts'
import { Refused } from '../../event-sourcing/refusal.ts'
import { banUser, changeProfile, deleteUser, registerUser, unbanUser } from '../../domain/user/user.ts'
import type { RecordedEvent } from '../../event-sourcing/codec/event-codec.ts'
import { createRepositories } from '../../event-sourcing/aggregate-repository.ts'
import type { Context } from '../../event-sourcing/codec/metadata.ts'
import { type AnyEvent, eventRegistry, accounts, users as userStreams } from '../../domain/streams.ts'
import { createTestLog } from '../../../test-support/sample-events.ts'
import { type CertificateDocument, certificates, type PayoutDocument, payouts, type UserDocument, users } from '../../projections/index.ts'
import type { Projection } from '../../event-sourcing/projections/projection.ts'
import { certificateResponse, ownAccountResponse, payoutResponse, userResponse } from '../query-responses.ts'

const log = createTestLog()
afterAll(() => log.close())

const context: Context = { actor: { kind: 'admin', id: 'a1', label: 'Dana' }, requestId: 'r', causationId: 'r', correlationId: 'r' }

type Deed = (id: UserId) => Promise<unknown>

let clock = Date.UTC(2026, 0, 1)
const repositories = createRepositories(eventRegistry, log.eventStore, log.keys, { now: () => (clock += 1_000) })
const person = repositories.of(userStreams)
const account = repositories.of(accounts)

/** Anything that may be done to somebody; what is refused does nothing. */
const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
  fc
    .record(
      { status: fc.constantFrom('pending', 'active', 'under-review', 'breached'), balance: fc.integer().map(toCents), payoutEnabled: fc.boolean() },
      { requiredKeys: [] },
    )
    .map(
      (changes): Deed =>
        (id) =>
          account.decide(id, context, (state) => changeAccount(state, changes)),
    ),
  fc
    .record(
      { login: text(), masterPassword: text(), phase: text(), dailyDrawdownLimit: text(), profitTarget: text(), profitLoss: fc.integer().map(toCents) },
      { requiredKeys: [] },
    )
    .map(
      (changes): Deed =>
        (id) =>
          account.decide(id, context, (state) => changeAccount(state, changes)),
    ),
  fc.record({ city: fc.string(), country: fc.string(), fullName: fc.string() }, { requiredKeys: [] }).map(
    (changes): Deed =>
      (id) =>
        person.decide(id, context, (state) => changeProfile(state, changes, null)),
  ),
  fc.string({ minLength: 1 }).map(
    (reason): Deed =>
      (id) =>
        person.decide(id, context, (state) => banUser(state, reason)),
  ),
  fc.constant<Deed>((id) => person.decide(id, context, unbanUser)),
  fc.tuple(fc.integer({ min: 1 }), fc.string()).map(
    ([amount, details]): Deed =>
      (id) =>
        account.decide(id, context, (state) => requestPayout(state, { amount: toCents(amount), method: 'bank', details, idempotency: null })),
  ),
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.string()).map(
    ([number, notes]): Deed =>
      (id) =>
        account.decide(id, context, (state) => approvePayout(state, payoutId.parse(`${id}-p${number}`), notes)),
  ),
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.string()).map(
    ([number, notes]): Deed =>
      (id) =>
        account.decide(id, context, (state) => rejectPayout(state, payoutId.parse(`${id}-p${number}`), notes)),
  ),
  fc.string().map(
    (name): Deed =>
      (id) =>
        account.decide(id, context, (state) =>
          issueCertificate(state, { certificateId: nextCertificateId(state), name, issuedAt: '2026-03-03', file: 'f', size: 1, sha256: 'a' }),
        ),
  ),
)

function text() {
  return fc.option(fc.string({ maxLength: 10 }))
}

let people = 0

/** Somebody to whom all this happened, one after the other. */
async function somebody(deeds: readonly Deed[]): Promise<UserId> {
  const id = userId.parse(`person${String(++people).padStart(4, '0')}`)
  const identity = { fullName: 'Ada', email: 'ada@example.com', country: 'uk', city: 'London', street: 'S', houseNumber: '1' }
  await person.decide(id, context, (state) =>
    registerUser(state, { ...identity, emailClaim: 'c', passwordHash: 'h', privacyPolicyAgreed: true }, { emailClaim: 'c', since: 0 }),
  )
  await account.decide(id, context, (state) => openAccount(state, id))
  for (const deed of deeds)
    await deed(id).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error
    })
  return id
}

/** What the views show after each of somebody's facts, in the words of the audit. */
async function shown(story: AccountTimeline): Promise<Omit<AuditState, 'at' | 'number'>[]> {
  const facts: RecordedEvent<AnyEvent>[] = []
  for await (const fact of repositories.of(userStreams).readEvents(story.userId)) facts.push(fact)
  for await (const fact of repositories.of(accounts).readEvents(story.userId)) facts.push(fact)
  facts.sort((one, other) => Number(one.position) - Number(other.position))
  const key = (await log.keys.get([story.userId])).get(story.userId)
  const collections = [shelf(users), shelf(payouts), shelf(certificates)] as const
  return facts.map((fact) => {
    for (const collection of collections) collection.take(fact)
    const [[user], asked, issued] = [collections[0].documents(), collections[1].documents(), collections[2].documents()]
    if (!user) throw new Error('There is no user')
    const { stamps: _stamps, ...own } = ownAccountResponse(user satisfies UserDocument, key)
    return {
      user: { ...userResponse(user), deleted: false },
      account: own,
      payouts: asked.map((payout: PayoutDocument) => {
        const { userId: _owner, stamps: _all, ...rest } = payoutResponse(payout, key, 'admin')
        return rest
      }),
      certificates: issued.map((certificate: CertificateDocument) => {
        const { userId: _owner, fileUrl: _url, ...rest } = certificateResponse(certificate, key)
        return rest
      }),
    }
  })
}

/** The documents of one view, in the order in which they were made. */
function shelf<Doc extends Document>(view: Projection<Doc>) {
  const documents = new Map<string, Doc>()
  return {
    take(fact: RecordedEvent<AnyEvent>) {
      const id = view.documentIdOf(fact)
      if (id === undefined) return
      const folding = view.resume(documents.get(id))
      folding.apply(fact)
      if (folding.document) documents.set(id, view.validate(structuredClone(folding.document)))
    },
    documents: () => [...documents.values()],
  }
}

const storyOf = async (id: UserId, stories = createAccountTimelines({ eventStore: log.eventStore, personKeys: log.keys })): Promise<AccountTimeline> => {
  const story = await stories.of(id)
  if (!story) throw new Error('There is no story')
  return story
}

const without = ({ at: _at, number: _number, ...state }: AuditState) => state

describe('replay', () => {
  it('is at any moment what the views showed then, and the difference of two moments leads from one to the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyDeed, { maxLength: 40 }), fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 3, maxLength: 6 }), async (deeds, pairs) => {
        const story = await storyOf(await somebody(deeds))
        const views = await shown(story)
        expect(views).toHaveLength(story.accountEntries.length)
        for (const [index, entry] of story.accountEntries.entries()) {
          const state = await story.stateAfter(entry)
          expect(state.number).toBe(entry.number)
          expect(without(state)).toEqual(views[index])
        }
        // At any time, too: what was true then is what the last fact until then left.
        const [first, last] = [story.accountEntries[0], story.accountEntries.at(-1)]
        if (!first || !last) throw new Error('There are no facts')
        for (const [one, other] of pairs) {
          // At the very time of a fact, or anywhere from the first on; several facts may be of one time.
          const time =
            one % 2 === 0 ? (story.accountEntries[other % story.accountEntries.length] ?? first).at : first.at + (other % (last.at - first.at + 2_000))
          const index = story.accountEntries.findLastIndex((entry) => entry.at <= time)
          const at = story.at({ time })
          expect(at?.number).toBe(story.accountEntries[index]?.number)
          expect(at && without(await story.stateAfter(at))).toEqual(views[index])
        }
        for (const [one, other] of pairs) {
          const [first, second] = [story.accountEntries[one % story.accountEntries.length], story.accountEntries[other % story.accountEntries.length]]
          if (!first || !second) throw new Error('There are no such facts')
          const [from, to] = [await story.stateAfter(first), await story.stateAfter(second)]
          expect(applyChanges(from, difference(from, to))).toEqual(without(to))
        }
      }),
      { numRuns: 40 },
    )
  })

  it('goes on with what is new, in any number of readings, also across what it remembers of long histories', async () => {
    const stories = createAccountTimelines({ eventStore: log.eventStore, personKeys: log.keys })
    const id = await somebody([])
    for (let round = 0; round < 6; round++) {
      for (let n = 0; n < 47; n++) await account.decide(id, context, (state) => changeAccount(state, { balance: toCents(round * 1_000 + n + 1) }))
      const grown = await storyOf(id, stories)
      const fresh = await storyOf(id)
      expect(grown.allEntries).toEqual(fresh.allEntries)
      for (const entry of grown.accountEntries.filter((_, index) => index % 13 === 0 || index > grown.accountEntries.length - 3)) {
        const state = await grown.stateAfter(entry)
        expect(state).toEqual(await fresh.stateAfter(entry))
        // The first fact after the account was opened set the balance to one cent, and each later one to one that tells its place.
        const index = grown.accountEntries.indexOf(entry) - 2
        if (index >= 0) expect(state.account.balance).toBe(((Math.floor(index / 47) * 1_000 + (index % 47) + 1) / 100).toFixed(2))
      }
    }
  })

  it('tells of each fact what it changed, as the two moments around it differ', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyDeed, { maxLength: 30 }), async (deeds) => {
        const story = await storyOf(await somebody(deeds))
        const facts = await story.readAuditEntries(story.accountEntries, formatActorInFull)
        for (const [index, { number, type, changes }] of facts.entries()) {
          const [before, entry] = [story.accountEntries[index - 1], story.accountEntries[index]]
          if (!before || !entry) continue
          expect(number).toBe(entry.number)
          const differs = difference(await story.stateAfter(before), await story.stateAfter(entry))
          // What a fact does not say: which secret it replaced, and the notes and the time of a verdict before.
          const said = differs.filter(({ field }) => !/masterPassword|adminNotes|decidedAt/.test(field))
          const told = changes.filter(({ field }) => field !== 'account.masterPassword')
          expect(new Set(told), type).toEqual(new Set(said))
        }
      }),
      { numRuns: 40 },
    )
  })

  it('knows nothing personal of somebody deleted, at any moment, also when it was remembered before', async () => {
    const stories = createAccountTimelines({ eventStore: log.eventStore, personKeys: log.keys })
    const id = await somebody([
      (owner) => account.decide(owner, context, (state) => changeAccount(state, { payoutEnabled: true, masterPassword: 'not-to-be-kept' })),
      (owner) =>
        account.decide(owner, context, (state) =>
          requestPayout(state, { amount: toCents(500), method: 'bank', details: 'IBAN not-to-be-kept', idempotency: null }),
        ),
    ])
    const before = await storyOf(id, stories)
    const moments = before.accountEntries.length
    expect(JSON.stringify(await before.stateAfter(before.accountEntries.at(-1) ?? throwing()))).toContain('not-to-be-kept')
    await person.decide(id, context, deleteUser)
    const story = await storyOf(id, stories)
    expect(story.accountEntries).toHaveLength(moments + 1)
    for (const entry of story.accountEntries) expect(JSON.stringify(await story.stateAfter(entry))).not.toMatch(/not-to-be-kept|Ada|London/)
    const facts = await story.readAuditEntries(story.allEntries, formatActorInFull)
    expect(JSON.stringify(facts)).not.toMatch(/not-to-be-kept|Ada|London/)
    expect((await story.stateAfter(story.accountEntries.at(-2) ?? throwing())).payouts).toMatchObject([{ amount: '5.00', paymentDetails: 'erased' }])
  })
})

function throwing(): never {
  throw new Error('There is no such fact')
}
