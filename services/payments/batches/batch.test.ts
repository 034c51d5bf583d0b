import { describe, expect, it } from 'vitest'
import { adminKeyId, payoutId } from '#services/framework/ids.ts'
import { ownCodes } from './coin-code-vocabulary.ts'
import { toCents } from '#services/rules/money.ts'
import { FIRST_EVENT_AT, givenEvents } from '#test-support/given-when-then.ts'
import {
  batchDecider,
  type BatchEvent,
  beginRelease,
  cancelBatch,
  endRelease,
  makeBatch,
  type NewBatch,
  removeItem,
} from './batch.ts'

const given = givenEvents(batchDecider)

const [dana, robin] = [adminKeyId.parse('dana'), adminKeyId.parse('robin')]
const item = (number: number, cents: number) => ({
  payoutId: payoutId.parse(`trader01-a1-p${number}`),
  reference: `trader01-a1-p${number}-1`,
  amount: toCents(cents),
})
const [one, two] = [item(1, 2_944_00), item(2, 1)]
const content: NewBatch = {
  format: 'pain.001',
  currency: 'EUR',
  rate: '0.92',
  rateSource: 'ECB',
  items: [one, two],
  member: dana,
}
const payer = { name: 'Firm', iban: 'NL91ABNA0417164300', bic: 'ABNANL2A' }

const made: BatchEvent = { type: 'BatchMade', data: content }
const begun: BatchEvent = { type: 'BatchReleaseBegun', data: { member: robin, payer, fileVersion: 2 } }
/** As release 0.2.0 recorded it. */
const begunBefore: BatchEvent = { type: 'BatchReleaseBegun', data: { member: robin, payer } }
const hashes = { sha256: 'f'.repeat(64), sha256ForPeople: 'e'.repeat(64) }
const released: BatchEvent = {
  type: 'BatchReleased',
  data: { count: 2, total: toCents(2_944_01), ...hashes },
}
const cancelled: BatchEvent = { type: 'BatchCancelled', data: {} }
const removed = (each: typeof one, reason = 'It was rejected'): BatchEvent => ({
  type: 'BatchItemRemoved',
  data: { ...each, reason },
})
const release = { member: robin, needsTwo: true, payer, codes: ownCodes }

describe('a batch', () => {
  it('is made once', () => {
    given()
      .when((batch) => makeBatch(batch, content))
      .then([made])
    given(made)
      .when((batch) => makeBatch(batch, content))
      .thenNothing()
  })

  it('loses a payment that left it, once, until it is released', () => {
    for (const events of [[made], [made, begun]])
      given(...events)
        .when((batch) => removeItem(batch, one.reference, 'It was rejected'))
        .then([removed(one)])
    for (const events of [[], [made, removed(one)], [made, begun, released], [made, cancelled]])
      given(...events)
        .when((batch) => removeItem(batch, one.reference, 'It was rejected'))
        .thenNothing()
    given(made)
      .when((batch) => removeItem(batch, 'trader01-a1-p1-2', 'Another attempt'))
      .thenNothing()
  })

  it('is cancelled only while it is open', () => {
    given(made).when(cancelBatch).then([cancelled])
    given().when(cancelBatch).thenRefused('not-found', 'Batch not found')
    given(made, cancelled).when(cancelBatch).thenRefused('conflict', 'This batch was cancelled already')
    for (const events of [[begun], [begun, released]])
      given(made, ...events)
        .when(cancelBatch)
        .thenRefused('conflict', 'This batch was released already')
  })
})

describe('a release', () => {
  it('is given by another member where two are needed', () => {
    given(made)
      .when((batch) => beginRelease(batch, release))
      .then([begun])
    given(made)
      .when((batch) => beginRelease(batch, { ...release, member: dana }))
      .thenRefused('conflict', 'You made this batch. Another member of staff has to release it.')
    given(made)
      .when((batch) => beginRelease(batch, { ...release, member: dana, needsTwo: false }))
      .then([{ type: 'BatchReleaseBegun', data: { member: dana, payer, fileVersion: 2 } }])
  })

  it('begins once, of an open batch with payments', () => {
    const begin = (batch: Parameters<typeof beginRelease>[0]) => beginRelease(batch, release)
    given().when(begin).thenRefused('not-found', 'Batch not found')
    given(made, begun).when(begin).thenRefused('conflict', 'This batch was released already')
    given(made, begun, released).when(begin).thenRefused('conflict', 'This batch was released already')
    given(made, cancelled).when(begin).thenRefused('conflict', 'This batch was cancelled already')
    given(made, removed(one), removed(two))
      .when(begin)
      .thenRefused('conflict', 'No payment is left in this batch. Cancel it.')
  })

  it('of a file for a bank needs the account that pays, and freezes it', () => {
    given(made)
      .when((batch) => beginRelease(batch, { ...release, payer: null }))
      .thenRefused('conflict', "Set the firm's account under System first: the bank's file names it.")
    const day = FIRST_EVENT_AT - (FIRST_EVENT_AT % 86_400_000)
    expect(given(made, begun).state).toMatchObject({ payer, fileAt: day })
    expect(given(made, begunBefore).state).toMatchObject({ payer, fileAt: FIRST_EVENT_AT + 1000 })
    given({ type: 'BatchMade', data: { ...content, format: 'csv' } })
      .when((batch) => beginRelease(batch, release))
      .then([{ type: 'BatchReleaseBegun', data: { member: robin, payer: null, fileVersion: 2 } }])
  })

  it('of a file with wallets freezes the codes of the provider', () => {
    const codes = { ...ownCodes, POLYGON: 'MATIC' }
    const wallets: BatchEvent = { type: 'BatchMade', data: { ...content, format: 'crypto' } }
    const data = { member: robin, payer: null, fileVersion: 2, codes } as const
    given(wallets)
      .when((batch) => beginRelease(batch, { ...release, codes }))
      .then([{ type: 'BatchReleaseBegun', data }])
    expect(given(wallets, { type: 'BatchReleaseBegun', data }).state).toMatchObject({ codes, fileVersion: 2 })
    expect(given(made, begunBefore).state).toMatchObject({ codes: {}, fileVersion: 1 })
  })

  it('ends once, with what is left', () => {
    const end = (batch: Parameters<typeof endRelease>[0]) => endRelease(batch, hashes)
    given(made, begun).when(end).then([released])
    given(made, begun, removed(two))
      .when(end)
      .then([{ type: 'BatchReleased', data: { count: 1, total: toCents(2_944_00), ...hashes } }])
    given(made, begun, removed(one), removed(two)).when(end).then([cancelled])
    for (const events of [[made], [made, begun, released], [made, cancelled]])
      given(...events)
        .when(end)
        .thenNothing()
  })
})
