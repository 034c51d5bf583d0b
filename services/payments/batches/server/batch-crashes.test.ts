import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { EventStore } from '#infra/event-store/event-store.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { newUserId } from '#services/identity/users/server/password-link-tokens.ts'
import { randomId } from '#services/identity/authentication/random-id.ts'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { accountStreams, endAccount } from '#services/trading/stream/account-aggregate.ts'
import {
  accountIdOf,
  accountOf,
  adminKeyId,
  type BatchId,
  batchId,
  payoutId,
  type PayoutId,
} from '#services/framework/ids.ts'
import { runPolicies } from '#services/portal/modules.ts'
import { approvePayout, holdPayout, movePayoutPayment, rejectPayout } from '#services/trading/stream/payout.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { toCents } from '#services/rules/money.ts'
import { dyingStore, Killed } from '#test-support/dying-store.ts'
import { decodeEvents, readLog, withStores } from '#test-support/stores.ts'
import { batchStreams } from '../batch.ts'
import { paymentFile } from '../files/payment-file.ts'
import { bankAnswer } from '../files/bank-answer.ts'
import { createAnswerWork } from './answer-work.ts'
import { createBatchWork, hashOf, NO_FILE, orderOf, UnfitPayouts } from './batch-work.ts'

const PAYOUTS = 3
const context = systemContext('a test', 'a test')
const member = adminKeyId.parse('dana')

type Step =
  | { readonly kind: 'make'; readonly payouts: readonly number[] }
  | { readonly kind: 'release' | 'cancel'; readonly batch: number }
  | { readonly kind: 'reject' | 'approve' | 'hold' | 'free'; readonly payout: number }
  | {
      readonly kind: 'answer'
      readonly payout: number
      readonly before: number
      readonly state: 'paid' | 'failed' | 'returned'
    }
  | { readonly kind: 'fail' | 'delete'; readonly payout: number }
  | { readonly kind: 'policies' }

const payout = fc.nat({ max: PAYOUTS - 1 })
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.uniqueArray(payout, { minLength: 1 }).map((payouts) => ({ kind: 'make' as const, payouts })),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('release' as const, 'release' as const, 'cancel' as const),
      batch: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'reject' as const,
        'approve' as const,
        'approve' as const,
        'hold' as const,
        'free' as const,
        'free' as const,
      ),
      payout,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      payout,
      before: fc.nat({ max: 1 }),
      state: fc.constantFrom('paid' as const, 'failed' as const, 'returned' as const),
    }),
  },
  fc.record({ kind: fc.constant('fail' as const), payout }),
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), payout }) },
  fc.constant({ kind: 'policies' as const }),
)
/** Null for a step whose process lives; else at which of its appends it dies, and whether that one is kept. */
const anyEnd = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.record({ appends: fc.nat({ max: 5 }), isDurable: fc.boolean() }),
)

async function approvedPayouts(parts: Dependencies): Promise<PayoutId[]> {
  const ids: PayoutId[] = []
  for (let n = 0; n < PAYOUTS; n++) {
    const owner = newUserId()
    await parts.personKeys.getOrCreate(owner)
    const account = accountIdOf(owner, 1)
    const id = payoutId.parse(`${account}-p1`)
    const destination = { holder: `Trader ${n}`, iban: 'DE89370400440532013000' }
    await parts.repositories.of(accountStreams).decide(account, context, () => [
      { type: 'AccountOpened', data: { accountId: account } },
      {
        type: 'PayoutRequested',
        data: {
          payoutId: id,
          amount: toCents(100_00 + n),
          method: 'bank',
          details: '',
          destination,
          idempotency: null,
        },
      },
    ])
    await parts.repositories
      .of(accountStreams)
      .decide(account, context, (state) => approvePayout(state, id, { now: 0 }))
    ids.push(id)
  }
  return ids
}

it('sends each payment by one file at most, whatever happens in which order and wherever a process dies', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-batches-'))
  const seen = { released: 0, killed: 0, paidAgain: 0, withoutFile: 0 }
  await withStores(dataDir, async (parts) => {
    const { eventStore, personKeys, policyDependencies } = parts
    const plan = fc.array(fc.record({ step: anyStep, end: anyEnd }), { minLength: 15, maxLength: 40, size: 'max' })
    await fc.assert(
      fc.asyncProperty(plan, async (steps) => {
        const payouts = await approvedPayouts(parts)
        const { checkpoint } = await readLog(parts)
        const made: BatchId[] = []
        const policies = async (repositories: Dependencies['repositories']) => {
          const { events } = await readLog(parts, checkpoint)
          for (const event of await decodeEvents(parts, events))
            await runPolicies(event, { ...policyDependencies, repositories })
        }
        for (const { step, end } of steps) {
          const store = end ? dyingStore(eventStore, end.appends, end.isDurable) : eventStore
          const repositories = createRepositories(eventRegistry, store, personKeys, { secrets: parts.secrets })
          try {
            await take(step, { repositories, payouts, made, policies })
          } catch (error) {
            if (error instanceof Killed) seen.killed++
            else if (!(error instanceof Refused || error instanceof UnfitPayouts)) throw error
          }
        }
        const repositories = createRepositories(eventRegistry, eventStore, personKeys, { secrets: parts.secrets })
        // The second time finds everything done.
        await policies(repositories)
        const before = (await readLog(parts, checkpoint)).events.length
        await policies(repositories)
        expect((await readLog(parts, checkpoint)).events).toHaveLength(before)
        await check(repositories, payouts, made, seen)
      }),
      { numRuns: 150 },
    )
  })
  await rm(dataDir, { recursive: true, force: true })
  process.stderr.write(`Batches that died: ${JSON.stringify(seen)}\n`)
  const { released, killed, paidAgain } = seen
  expect(Math.min(released, killed, paidAgain)).toBeGreaterThan(0)
})

it('leaves a payment out of its file whose person was deleted before there was one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-batches-'))
  await withStores(dataDir, async (parts) => {
    const { eventStore, personKeys } = parts
    const open = (store: EventStore) => createRepositories(eventRegistry, store, personKeys, { secrets: parts.secrets })
    const repositories = open(eventStore)
    const [deleted, ...others] = await approvedPayouts(parts)
    if (!deleted) throw new Error('There is no payout')
    const id = batchId.parse(randomId())
    const terms = { format: 'wise', currency: 'USD', rate: null, rateSource: null, member } as const
    await createBatchWork(repositories).make(id, [deleted, ...others], terms, context)
    const release = { member, needsTwo: false, payer: null, codes: {} }
    // The release has begun and sent all three payments.
    await expect(createBatchWork(open(dyingStore(eventStore, 3, true))).release(id, release, context)).rejects.toThrow(
      Killed,
    )
    await repositories.of(accountStreams).decide(accountOf(deleted), context, endAccount)
    await createBatchWork(repositories).finishRelease(id, context)
    const { state: batch } = await repositories.of(batchStreams).load(id)
    expect([batch.state, batch.items.map(({ payoutId: each }) => each)]).toEqual(['released', others])
    const { state } = await repositories.of(accountStreams).load(accountOf(deleted))
    expect(state.payouts.list.get(deleted)?.payment).toMatchObject({ state: 'cancelled', reason: NO_FILE })
  })
  await rm(dataDir, { recursive: true, force: true })
})

it('leaves a payment out of its file that staff sent by hand while it was released', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-batches-'))
  await withStores(dataDir, async (parts) => {
    const { eventStore, personKeys } = parts
    const open = (store: EventStore) => createRepositories(eventRegistry, store, personKeys, { secrets: parts.secrets })
    const repositories = open(eventStore)
    const [sent, ...others] = await approvedPayouts(parts)
    if (!sent) throw new Error('There is no payout')
    const id = batchId.parse(randomId())
    const terms = { format: 'wise', currency: 'USD', rate: null, rateSource: null, member } as const
    await createBatchWork(repositories).make(id, [sent, ...others], terms, context)
    const release = { member, needsTwo: false, payer: null, codes: {} }
    // The release has begun and sent no payment.
    await expect(createBatchWork(open(dyingStore(eventStore, 0, true))).release(id, release, context)).rejects.toThrow(
      Killed,
    )
    const accounts = repositories.of(accountStreams)
    await accounts.decide(accountOf(sent), context, (state) => movePayoutPayment(state, sent, { kind: 'send-by-hand' }))
    await createBatchWork(repositories).finishRelease(id, context)
    const { state: batch } = await repositories.of(batchStreams).load(id)
    expect([batch.state, batch.items.map(({ payoutId: each }) => each)]).toEqual(['released', others])
    const { state } = await accounts.load(accountOf(sent))
    expect(state.payouts.list.get(sent)?.payment).toMatchObject({ state: 'sent', sentByHand: true })
  })
  await rm(dataDir, { recursive: true, force: true })
})

it('says that the person of a payment was deleted, also when it fills the batch once more', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-batches-'))
  await withStores(dataDir, async (parts) => {
    const { eventStore, personKeys } = parts
    const repositories = createRepositories(eventRegistry, eventStore, personKeys, { secrets: parts.secrets })
    const [deleted, ...others] = await approvedPayouts(parts)
    if (!deleted) throw new Error('There is no payout')
    const id = batchId.parse(randomId())
    const terms = { format: 'wise', currency: 'USD', rate: null, rateSource: null, member } as const
    const work = createBatchWork(repositories)
    await work.make(id, [deleted, ...others], terms, context)
    await repositories.of(accountStreams).decide(accountOf(deleted), context, endAccount)
    // The policy of a batch that was made comes late.
    await work.enter(id, context)
    const { state: batch } = await repositories.of(batchStreams).load(id)
    expect(batch.items.map(({ payoutId: each }) => each)).toEqual(others)
    const { events } = await readLog(parts)
    const removed = events.filter(({ type }) => type === 'BatchItemRemoved').map(({ data }) => JSON.parse(data))
    expect(removed).toMatchObject([{ payoutId: deleted, reason: 'Its person was deleted' }])
  })
  await rm(dataDir, { recursive: true, force: true })
})

interface Firm {
  readonly repositories: Dependencies['repositories']
  readonly payouts: readonly PayoutId[]
  readonly made: BatchId[]
  readonly policies: (repositories: Dependencies['repositories']) => Promise<void>
}

async function take(step: Step, firm: Firm): Promise<unknown> {
  const { repositories, payouts, made, policies } = firm
  const accounts = repositories.of(accountStreams)
  const work = createBatchWork(repositories)
  const payoutAt = (n: number): PayoutId => payouts[n] ?? payoutId.parse('missing0-a1-p1')
  switch (step.kind) {
    case 'make': {
      const id = batchId.parse(randomId())
      made.push(id)
      // A file that cannot be made of a person who was deleted.
      const terms = { format: 'wise', currency: 'USD', rate: null, rateSource: null, member } as const
      try {
        return await work.make(id, step.payouts.map(payoutAt), terms, context)
      } catch (error) {
        if (error instanceof UnfitPayouts) made.pop()
        throw error
      }
    }
    case 'release':
    case 'cancel': {
      const id = made.at(-1 - step.batch)
      if (!id) return
      return step.kind === 'cancel'
        ? work.cancel(id, context)
        : work.release(id, { member, needsTwo: false, payer: null, codes: {} }, context)
    }
    case 'answer': {
      const id = payoutAt(step.payout)
      const { attempts = 0 } = (await accounts.load(accountOf(id))).state.payouts.list.get(id) ?? {}
      const reference = `${id}-${attempts - step.before}`
      const answer = bankAnswer({
        place: 'line 2',
        about: { payments: [reference] },
        state: step.state,
        reason: 'AC04',
      })
      return createAnswerWork(repositories)({ mentioned: new Set(), answers: () => [answer] }, context)
    }
    case 'fail':
      await take({ kind: 'make', payouts: [step.payout] }, firm)
      await take({ kind: 'release', batch: 0 }, firm)
      return take({ kind: 'answer', payout: step.payout, before: 0, state: 'failed' }, firm)
    case 'policies':
      return policies(repositories)
    case 'delete':
      return accounts.decide(accountOf(payoutAt(step.payout)), context, endAccount)
    default: {
      const id = payoutAt(step.payout)
      return accounts.decide(accountOf(id), context, (state) => {
        if (step.kind === 'reject') return rejectPayout(state, id, 'A mistake')
        if (step.kind === 'approve') return approvePayout(state, id, { now: 0 })
        return holdPayout(state, id, step.kind === 'hold' ? 'Ask the bank' : null)
      })
    }
  }
}

/** What holds once the policies have finished everything. */
async function check(
  repositories: Dependencies['repositories'],
  payouts: readonly PayoutId[],
  made: readonly BatchId[],
  seen: { released: number; paidAgain: number; withoutFile: number },
): Promise<void> {
  const work = createBatchWork(repositories)
  const states = await Promise.all(
    made.map(async (id) => ({ id, batch: (await repositories.of(batchStreams).load(id)).state })),
  )
  const inFiles = states.flatMap(({ batch }) => (batch.state === 'released' ? batch.items : []))
  const inOpen = states.flatMap(({ id, batch }) =>
    batch.state === 'open' ? batch.items.map(({ reference }) => `${id} ${reference}`) : [],
  )
  expect(states.filter(({ batch }) => batch.state === 'releasing')).toEqual([])
  const sent: string[] = []
  const withoutFile: string[] = []
  const erased = new Set<PayoutId>()
  const waiting: string[] = []
  for (const id of payouts) {
    let outstanding = 0
    for await (const { type, data } of repositories.of(accountStreams).readEvents(accountOf(id))) {
      if (type === 'PaymentSent') {
        sent.push(data.reference)
        outstanding++
      }
      if (type === 'PaymentFailed' || type === 'PaymentReturned') outstanding--
      if (type === 'PaymentFailed' && data.reason === NO_FILE) withoutFile.push(data.reference)
      expect(outstanding).toBeLessThanOrEqual(1)
    }
    const { account, payouts: all } = (await repositories.of(accountStreams).load(accountOf(id))).state
    if (account.erased) erased.add(id)
    const { payment } = all.list.get(id) ?? {}
    if (account.erased) expect(['open', 'in-batch', 'failed', 'returned']).not.toContain(payment?.state)
    if (payment?.state === 'in-batch') waiting.push(`${payment.batch} ${payment.reference}`)
  }
  // What was sent is in a file, once, and the files have nothing else.
  expect([...inFiles.map(({ reference }) => reference), ...withoutFile].toSorted()).toEqual(sent.toSorted())
  seen.withoutFile += withoutFile.length
  expect(new Set(sent).size).toBe(sent.length)
  expect(waiting.toSorted()).toEqual(inOpen.toSorted())
  if (sent.length > new Set(inFiles.map((item) => item.payoutId)).size) seen.paidAgain++
  for (const { id, batch } of states) {
    if (batch.state !== 'released') continue
    seen.released++
    if (batch.items.some((item) => erased.has(item.payoutId))) continue
    expect(hashOf(paymentFile(orderOf(id, batch, await work.payoutsOf(batch.items))))).toBe(batch.sha256)
  }
}
