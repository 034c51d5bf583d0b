import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { Document } from '#infra/read-model-store/read-model-store.ts'
import { unopenedAccount } from '../account-state.ts'
import { difference } from '../state-difference.ts'
import { createAccountTimelines, type AccountTimeline } from './account-timeline.ts'
import { formatActorInFull } from '../audit-entry.ts'
import type { AuditAccount, AuditState, AuditValue } from '../audit-api.ts'
import type { AuditChange } from '../audit-event-api.ts'
import { type CertificateDocument, certificates } from '#services/trading/certificates/certificate-read-model.ts'
import { type PayoutDocument, payouts } from '#services/trading/accounts/payout-read-model.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { type BalanceChangeDocument, balanceChanges } from '#services/trading/accounts/balance-read-model.ts'
import { type EntryKind, entryKinds } from '#services/trading/stream/ledger-vocabulary.ts'
import { changeAccount, openAccount } from '#services/trading/stream/account.ts'
import { linkOf } from '#services/trading/stream/certificate-descriptions.ts'
import {
  endSharing,
  issueCertificate,
  nextCertificateId,
  revokeCertificate,
  shareCertificate,
} from '#services/trading/stream/certificate.ts'
import {
  type AccountId,
  accountId as accountIdSchema,
  accountIdOf,
  certificateId,
  ownerOf,
  payoutId,
  type UserId,
  userId,
} from '#services/framework/ids.ts'
import { toCents, toDecimal } from '#services/rules/money.ts'
import { approvePayout, rejectPayout, requestPayout } from '#services/trading/stream/payout.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import {
  assignAccount,
  banUser,
  changeProfile,
  deleteUser,
  firstAccount,
  registerUser,
  unbanUser,
  userStreams,
} from '#services/identity/users/user.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { type AnyEvent, eventRegistry } from '#services/oversight/event-catalogue.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { createTestLog } from '#test-support/sample-events.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import { programmeText } from '#services/trading/stream/programme-stage.ts'
import { ownAccountResponse } from '#services/trading/accounts/server/account-responses.ts'
import { certificateResponse } from '#services/trading/certificates/server/certificate-responses.ts'
import { payoutResponse } from '#services/payments/payouts/server/payout-responses.ts'
import { userResponse } from '#services/trading/traders/server/user-responses.ts'

const log = createTestLog()
afterAll(() => log.close())

const context: Context = {
  actor: { kind: 'admin', id: 'a1', label: 'Dana' },
  requestId: 'r',
  causationId: 'r',
  correlationId: 'r',
}

type Action = (id: AccountId) => Promise<unknown>

let clock = Date.UTC(2026, 0, 1)
const repositories = createRepositories(eventRegistry, log.eventStore, log.keys, { now: () => (clock += 1_000) })
const person = repositories.of(userStreams)
const account = repositories.of(accountStreams)

/** Any action on a user; a refused one has no effect. */
const anyDeed: fc.Arbitrary<Action> = fc.oneof(
  fc
    .record(
      {
        status: fc.constantFrom('pending', 'active', 'under-review', 'breached'),
        balance: fc.integer().map(toCents),
        payoutEnabled: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .map(
      (changes): Action =>
        (id) =>
          account.decide(id, context, ({ account }) => changeAccount(account, changes)),
    ),
  fc
    .record(
      {
        login: text(),
        masterPassword: text(),
        phase: text(),
        dailyDrawdownLimit: text(),
        profitTarget: text(),
        profitLoss: fc.integer().map(toCents),
      },
      { requiredKeys: [] },
    )
    .map(
      (changes): Action =>
        (id) =>
          account.decide(id, context, ({ account }) => changeAccount(account, changes)),
    ),
  fc.record({ city: fc.string(), country: fc.string(), fullName: fc.string() }, { requiredKeys: [] }).map(
    (changes): Action =>
      (id) =>
        person.decide(ownerOf(id), context, (state) => changeProfile(state, changes, null)),
  ),
  fc.string({ minLength: 1 }).map(
    (reason): Action =>
      (id) =>
        person.decide(ownerOf(id), context, (state) => banUser(state, reason)),
  ),
  fc.constant<Action>((id) => person.decide(ownerOf(id), context, unbanUser)),
  fc.tuple(fc.integer({ min: 1 }), fc.string()).map(
    ([amount, details]): Action =>
      (id) =>
        account.decide(id, context, (state) =>
          requestPayout(
            state,
            { amount: toCents(amount), method: 'bank', details, destination: null, idempotency: null },
            0,
          ),
        ),
  ),
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.string()).map(
    ([number, notes]): Action =>
      (id) =>
        account.decide(id, context, (state) =>
          approvePayout(state, payoutId.parse(`${id}-p${number}`), { notes, deduct: number % 2 === 0, now: 0 }),
        ),
  ),
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.string()).map(
    ([number, notes]): Action =>
      (id) =>
        account.decide(id, context, (state) => rejectPayout(state, payoutId.parse(`${id}-p${number}`), notes)),
  ),
  fc.tuple(fc.constantFrom('share', 'share with name', 'end', 'revoke'), fc.integer({ min: 1, max: 2 })).map(
    ([deed, number]): Action =>
      (id) =>
        account.decide(id, context, (state) => {
          const certificate = certificateId.parse(`${id}-c${number}`)
          if (deed === 'end') return endSharing(state, certificate)
          if (deed === 'revoke') return revokeCertificate(state, certificate, '')
          return shareCertificate(state, certificate, deed === 'share with name', {
            code: 'c'.repeat(22),
            codeHash: 'h',
          })
        }),
  ),
  fc.string().map(
    (name): Action =>
      (id) =>
        account.decide(id, context, (state) =>
          issueCertificate(state, {
            certificateId: nextCertificateId(state),
            name,
            issuedAt: '2026-03-03',
            file: 'f',
            size: 1,
            sha256: 'a',
          }),
        ),
  ),
)

/** On the first or the second account. */
const anyDeeds = (maxLength: number) =>
  fc.array(
    fc.tuple(anyDeed, fc.constantFrom(1, 2)).map(([deed, number]) => ({ deed, number })),
    { maxLength },
  )

function text() {
  return fc.option(fc.string({ maxLength: 10 }))
}

let people = 0

/** Creates a user with two accounts and applies these actions in order. */
async function createUser(actions: readonly { readonly deed: Action; readonly number: number }[]): Promise<UserId> {
  const id = userId.parse(`person${String(++people).padStart(4, '0')}`)
  const identity = {
    fullName: 'Ada',
    email: 'ada@example.com',
    country: 'uk',
    city: 'London',
    street: 'S',
    houseNumber: '1',
  }
  await person.decide(id, context, (state) => [
    ...registerUser(
      state,
      { ...identity, emailClaim: 'c', passwordHash: 'h', privacyPolicyAgreed: true },
      { emailClaim: 'c', since: 0 },
    ),
    firstAccount(id),
  ])
  const [first, second] = [accountIdOf(id, 1), accountIdOf(id, 2)]
  await account.decide(first, context, ({ account }) => openAccount(account, first))
  await person.decide(id, context, (state) => assignAccount(state, id, second))
  await account.decide(second, context, ({ account }) => openAccount(account, second))
  for (const { deed, number } of actions)
    await deed(accountIdOf(id, number)).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error
    })
  return id
}

/** The read models after each of a user's events, in the audit's format. */
async function readModelStates(timeline: AccountTimeline): Promise<Omit<AuditState, 'at' | 'number'>[]> {
  const events: RecordedEvent<AnyEvent>[] = []
  for await (const event of repositories.of(userStreams).readEvents(timeline.userId)) events.push(event)
  for (const id of timeline.accountIds)
    for await (const event of repositories.of(accountStreams).readEvents(id)) events.push(event)
  events.sort((one, other) => Number(one.position) - Number(other.position))
  const key = (await log.keys.get([timeline.userId])).get(timeline.userId)
  const collections = [
    collectionOf(users),
    collectionOf(payouts),
    collectionOf(certificates),
    collectionOf(balanceChanges),
  ] as const
  return events.map((event) => {
    for (const collection of collections) collection.take(event)
    const [[user], requests, issued] = [
      collections[0].documents(),
      collections[1].documents(),
      collections[2].documents(),
    ]
    if (!user) throw new Error('No user found')
    return {
      user: { ...userResponse(user), deleted: false },
      accounts: user.accounts.map((each) => {
        const { stamps: _stamps, payout: _payout, programme, ...own } = ownAccountResponse(each, key)
        const { id, ...fields } = own
        return {
          id,
          account: { ...fields, programme: programme && programmeText(programme.name, programme.version) },
          stage: { terms: null, accountSize: null, split: null, observations: null },
          findings: [],
          cases: [],
          ledger: ledgerOf(collections[3].documents().filter(({ accountId }) => accountId === each.id)),
          payouts: requests
            .filter(({ accountId }) => accountId === each.id)
            .map((payout: PayoutDocument) => {
              const {
                userId: _owner,
                accountId: _account,
                stamps: _all,
                destination: _destination,
                evidence: _evidence,
                promise: _promise,
                destinationChanges: _changes,
                takesDestination: _takes,
                paymentSteps: _steps,
                payment,
                ...rest
              } = payoutResponse(payout, key, 'admin')
              return {
                ...rest,
                hold: rest.hold?.reason ?? null,
                payment: payment?.state ?? null,
                reference: payment?.reference ?? null,
                payee: payment?.payee ?? null,
              }
            }),
          certificates: issued
            .filter(({ accountId }) => accountId === each.id)
            .map((certificate: CertificateDocument) => {
              const response = certificateResponse(certificate, key)
              const { userId: _owner, accountId: _account, fileUrl: _url, revokedAt, share, ...rest } = response
              return { ...rest, revokedAt, link: linkOf(share && share.showsName) }
            }),
        }
      }),
    }
  })
}

/** The sums of the entries that the read model has. */
function ledgerOf(changes: readonly BalanceChangeDocument[]): AuditAccount['ledger'] {
  const entries = changes.flatMap(({ entry }) => entry ?? [])
  const sum = (...kinds: readonly EntryKind[]) =>
    toDecimal(entries.reduce((total, { kind, amount }) => (kinds.includes(kind) ? total + amount : total), 0))
  return {
    entries: entries.length,
    deposits: sum('deposit'),
    tradeResults: sum('trade-result'),
    corrections: sum('correction'),
    payouts: sum('payout'),
    fees: sum('fee'),
    credits: sum('credit'),
    payoutsReversed: sum('payout-reversed'),
    forfeits: sum('forfeit', 'forfeit-reversed'),
    sum: sum(...entryKinds),
  }
}

/** The documents of one projection, in order of creation. */
function collectionOf<Doc extends Document>(projection: Projection<Doc>) {
  const documents = new Map<string, Doc>()
  return {
    take(event: RecordedEvent<AnyEvent>) {
      const id = projection.documentIdOf(event)
      if (id === undefined) return
      const document = projection.apply(documents.get(id), event)
      if (document) documents.set(id, projection.validate(structuredClone(document)))
    },
    documents: () => [...documents.values()],
  }
}

const timelineOf = async (
  id: UserId,
  timelines = createAccountTimelines({ eventStore: log.eventStore, personKeys: log.keys }),
): Promise<AccountTimeline> => {
  const timeline = await timelines.of(id)
  if (!timeline) throw new Error('No timeline found')
  return timeline
}

const without = ({ at: _at, number: _number, ...state }: AuditState) => state

describe('replay', () => {
  it("gives the read models' state at any moment, and differences between moments", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyDeeds(40),
        fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 3, maxLength: 6 }),
        async (actions, pairs) => {
          const timeline = await timelineOf(await createUser(actions))
          const expected = await readModelStates(timeline)
          expect(expected).toHaveLength(timeline.accountEntries.length)
          for (const [index, entry] of timeline.accountEntries.entries()) {
            const state = await timeline.stateAfter(entry)
            expect(state.number).toBe(entry.number)
            expect(without(state)).toEqual(expected[index])
          }
          // Also by time: the state is that after the last event until then.
          const [first, last] = [timeline.accountEntries[0], timeline.accountEntries.at(-1)]
          if (!first || !last) throw new Error('No events found')
          for (const [one, other] of pairs) {
            // The exact time of an event, or any time from the first on; several events may share a time.
            const time =
              one % 2 === 0
                ? (timeline.accountEntries[other % timeline.accountEntries.length] ?? first).at
                : first.at + (other % (last.at - first.at + 2_000))
            const index = timeline.accountEntries.findLastIndex((entry) => entry.at <= time)
            const at = timeline.at({ time })
            expect(at?.number).toBe(timeline.accountEntries[index]?.number)
            expect(at && without(await timeline.stateAfter(at))).toEqual(expected[index])
          }
          for (const [one, other] of pairs) {
            const [first, second] = [
              timeline.accountEntries[one % timeline.accountEntries.length],
              timeline.accountEntries[other % timeline.accountEntries.length],
            ]
            if (!first || !second) throw new Error('No events found')
            const [from, to] = [await timeline.stateAfter(first), await timeline.stateAfter(second)]
            expect(applyChanges(from, difference(from, to))).toEqual(without(to))
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('resumes from remembered states of long histories', async () => {
    const timelines = createAccountTimelines({ eventStore: log.eventStore, personKeys: log.keys })
    const id = await createUser([])
    for (let round = 0; round < 6; round++) {
      for (let n = 0; n < 47; n++)
        await account.decide(accountIdOf(id, 1), context, ({ account }) =>
          changeAccount(account, { balance: toCents(round * 1_000 + n + 1) }),
        )
      const grown = await timelineOf(id, timelines)
      const fresh = await timelineOf(id)
      expect(grown.allEntries).toEqual(fresh.allEntries)
      for (const entry of grown.accountEntries.filter(
        (_, index) => index % 13 === 0 || index > grown.accountEntries.length - 3,
      )) {
        const state = await grown.stateAfter(entry)
        expect(state).toEqual(await fresh.stateAfter(entry))
        // The first event after the opening of both accounts sets the balance to one cent; each later one sets it to its own index.
        const index = grown.accountEntries.indexOf(entry) - 5
        if (index >= 0)
          expect(state.accounts[0]?.account.balance).toBe(
            ((Math.floor(index / 47) * 1_000 + (index % 47) + 1) / 100).toFixed(2),
          )
      }
    }
  })

  it('describes each event by the difference of the moments around it', async () => {
    await fc.assert(
      fc.asyncProperty(anyDeeds(30), async (actions) => {
        const timeline = await timelineOf(await createUser(actions))
        const events = await timeline.readAuditEntries(timeline.accountEntries, formatActorInFull)
        for (const [index, { number, type, accountId, changes }] of events.entries()) {
          const [before, entry] = [timeline.accountEntries[index - 1], timeline.accountEntries[index]]
          if (!before || !entry) continue
          expect(number).toBe(entry.number)
          const differs = difference(await timeline.stateAfter(before), await timeline.stateAfter(entry))
          // Of one action alone: the kind of an entry. Not described: the secret that was replaced, what a previous verdict said, and the sums of the ledger,
          // which follow from the change of the balance.
          const undescribed = /masterPassword|adminNotes|decidedAt|^ledger\.|traderReceives|firmKeeps/
          const comparable = differs.filter(({ field }) => !undescribed.test(field))
          const described = changes
            .filter(({ field }) => !/masterPassword|traderReceives|firmKeeps|account\.entry/.test(field))
            .map((change) => (accountId === null ? change : { ...change, accountId }))
          expect(new Set(described), type).toEqual(new Set(comparable))
        }
      }),
      { numRuns: 40 },
    )
  })

  it('shows no personal data of deleted users, also from memory', async () => {
    const timelines = createAccountTimelines({ eventStore: log.eventStore, personKeys: log.keys })
    const enable: Action = (id) =>
      account.decide(id, context, ({ account }) =>
        changeAccount(account, { payoutEnabled: true, masterPassword: 'not-to-be-kept' }),
      )
    const ask: Action = (id) =>
      account.decide(id, context, (state) =>
        requestPayout(
          state,
          {
            amount: toCents(500),
            method: 'bank',
            details: 'IBAN not-to-be-kept',
            destination: null,
            idempotency: null,
          },
          0,
        ),
      )
    const id = await createUser([enable, ask].flatMap((deed) => [1, 2].map((number) => ({ deed, number }))))
    const before = await timelineOf(id, timelines)
    const moments = before.accountEntries.length
    expect(JSON.stringify(await before.stateAfter(before.accountEntries.at(-1) ?? throwing()))).toContain(
      'not-to-be-kept',
    )
    await person.decide(id, context, deleteUser)
    const timeline = await timelineOf(id, timelines)
    expect(timeline.accountEntries).toHaveLength(moments + 1)
    for (const entry of timeline.accountEntries)
      expect(JSON.stringify(await timeline.stateAfter(entry))).not.toMatch(/not-to-be-kept|Ada|London/)
    const events = await timeline.readAuditEntries(timeline.allEntries, formatActorInFull)
    expect(JSON.stringify(events)).not.toMatch(/not-to-be-kept|Ada|London/)
    expect((await timeline.stateAfter(timeline.accountEntries.at(-2) ?? throwing())).accounts).toMatchObject(
      [1, 2].map(() => ({ payouts: [{ amount: '5.00', paymentDetails: 'erased' }] })),
    )
  })
})

function throwing(): never {
  throw new Error('No event found')
}

/** A moment with changes made to it, as someone would who knows only the shapes of the two. */
function applyChanges(state: AuditState, changes: readonly AuditChange[]): unknown {
  const { user, accounts: before } = structuredClone(state)
  const ids = new Set([...before.map(({ id }) => id), ...changes.flatMap(({ accountId }) => accountId ?? [])])
  const byId = (list: readonly { readonly id: string }[]) => Object.fromEntries(list.map((item) => [item.id, item]))
  const whole: Node = { user }
  const wholes = new Map<string | undefined, Node>([[undefined, whole]])
  for (const id of ids) {
    const { account, ledger, stage, findings, payouts, certificates, cases } =
      before.find((each) => each.id === id) ?? unopenedAccount(accountIdSchema.parse(id))
    wholes.set(id, {
      ...{ account, ledger, stage, findings: byId(findings) },
      ...{ payouts: byId(payouts), certificates: byId(certificates), cases: byId(cases) },
    })
  }
  for (const { field, from, to, accountId } of changes)
    set(wholes.get(accountId) ?? throwing(), field.split('.'), from, to)
  const list = (items: unknown) => (isNode(items) ? Object.values(items).filter((item) => item !== null) : [])
  return {
    user: whole['user'],
    accounts: [...ids]
      .map((id) => ({ id, ...(wholes.get(id) ?? throwing()) }))
      .flatMap(({ id, account, ledger, stage, findings, payouts: requests, certificates: issued, cases }: Node) =>
        isNode(account) && account['open'] === true
          ? [
              {
                id,
                account,
                ledger,
                stage,
                findings: list(findings),
                payouts: list(requests),
                certificates: list(issued),
                cases: list(cases),
              },
            ]
          : [],
      ),
  }
}

interface Node {
  [field: string]: unknown
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

function set(node: Node, [field = '', ...rest]: readonly string[], from: AuditValue, to: AuditValue): void {
  if (rest.length === 0) {
    if (JSON.stringify(node[field] ?? null) !== JSON.stringify(from))
      throw new Error(`${field} was ${JSON.stringify(node[field])}, not ${JSON.stringify(from)}`)
    node[field] = to
    return
  }
  const inner = node[field]
  if (!isNode(inner)) throw new Error(`There is no ${field}`)
  set(inner, rest, from, to)
}
