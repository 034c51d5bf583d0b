import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type AppendedEvent, defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type AdminKeyId, adminKeyId, payoutId } from '#services/framework/ids.ts'
import { type Cents, cents, toCents } from '#services/rules/money.ts'
import { batchCurrencies, batchFormats, FILE_VERSION, type FileVersion } from './batch-vocabulary.ts'
import type { CoinCodes } from './coin-code-vocabulary.ts'
import { firmAccountFields, type FirmAccount } from './firm-account.ts'

/**
 * A batch: payments of one method and currency that leave in one file. A payment is in it only as long as the stream of
 * its account says so: that stream decides when a verdict, a hold and a release compete.
 */

/** Amounts are in cents of the batch's currency. */
const item = z.object({ payoutId, reference: z.string(), amount: cents })

export const batchEvents = defineEvents({
  BatchMade: {
    format: z.enum(batchFormats),
    currency: z.enum(batchCurrencies),
    /** Euro for one dollar, as its maker typed it; null for dollars. */
    rate: z.string().nullable(),
    rateSource: z.string().nullable(),
    items: z.array(item),
    member: adminKeyId,
  },
  /** The payment left the batch, or never came into it. */
  BatchItemRemoved: { payoutId, reference: z.string(), amount: cents, reason: z.string() },
  /** From here on its payments are sent; none is added, and the batch is not cancelled. */
  BatchReleaseBegun: {
    member: adminKeyId,
    payer: z.object(firmAccountFields).nullable(),
    /** How the file is written; without it as release 0.2.0 did. */
    fileVersion: z.literal(FILE_VERSION).optional(),
    /** Only in a file with wallets: see coin-codes.ts. */
    codes: z.record(z.string(), z.string()).optional(),
  },
  /** All its payments are sent. The hashes are those of its files, lower-case hex. */
  BatchReleased: {
    count: z.int(),
    total: cents,
    sha256: z.string(),
    /** Release 0.2.0 had no file for people. */
    sha256ForPeople: z.string().optional(),
  },
  BatchCancelled: {},
})
export type BatchEvent = EventOf<typeof batchEvents>

export type BatchItem = Readonly<z.infer<typeof item>>

/** The data of the event that makes a batch. */
export type NewBatch = Extract<BatchEvent, { type: 'BatchMade' }>['data']

export interface Batch extends Readonly<Omit<NewBatch, 'member' | 'items'>> {
  readonly state: 'none' | 'open' | 'releasing' | 'released' | 'cancelled'
  readonly items: readonly BatchItem[]
  readonly maker: AdminKeyId | null
  /** In ms since 1970. */
  readonly madeAt: number
  /** The file carries this moment, in ms since 1970; 0 before the release. */
  readonly fileAt: number
  readonly fileVersion: FileVersion
  readonly payer: FirmAccount | null
  /** The file's names for coins and networks. */
  readonly codes: CoinCodes
  readonly sha256: string | null
  /** That of the file for people; null for a batch that release 0.2.0 released. */
  readonly sha256ForPeople: string | null
}

export const batchDecider: Decider<Batch, BatchEvent> = {
  initial: {
    state: 'none',
    format: 'csv',
    currency: 'USD',
    rate: null,
    rateSource: null,
    items: [],
    maker: null,
    madeAt: 0,
    fileAt: 0,
    fileVersion: FILE_VERSION,
    payer: null,
    codes: {},
    sha256: null,
    sha256ForPeople: null,
  },
  evolve(batch: Batch, { type, data, at }: AppendedEvent<BatchEvent>): Batch {
    switch (type) {
      case 'BatchMade': {
        const { member, ...content } = data
        return { ...batch, ...content, state: 'open', maker: member, madeAt: at }
      }
      case 'BatchItemRemoved':
        return { ...batch, items: batch.items.filter(({ reference }) => reference !== data.reference) }
      case 'BatchReleaseBegun':
        return { ...batch, state: 'releasing', ...fileTerms(data, at) }
      case 'BatchReleased':
        return { ...batch, state: 'released', sha256: data.sha256, sha256ForPeople: data.sha256ForPeople ?? null }
      case 'BatchCancelled':
        return { ...batch, state: 'cancelled' }
    }
  },
}

export const batchStreams = aggregate('batch', batchDecider, batchEvents, null)

export function makeBatch(batch: Batch, made: NewBatch): BatchEvent[] {
  return batch.state === 'none' ? [{ type: 'BatchMade', data: made }] : []
}

/** Takes a payment out that is not in the batch any more. After the release nothing is taken out. */
export function removeItem({ state, items }: Batch, reference: string, reason: string): BatchEvent[] {
  const item = items.find((each) => each.reference === reference)
  return item && (state === 'open' || state === 'releasing')
    ? [{ type: 'BatchItemRemoved', data: { ...item, reason } }]
    : []
}

/** A member who releases; `needsTwo` says that it has to be another than the maker. */
export interface Release {
  readonly member: AdminKeyId
  readonly needsTwo: boolean
  readonly payer: FirmAccount | null
  readonly codes: CoinCodes
}

/** @throws {Refused} not-found, conflict */
export function beginRelease(batch: Batch, { member, needsTwo, payer, codes }: Release): BatchEvent[] {
  assertOpen(batch)
  if (batch.items.length === 0) throw new Refused('conflict', 'No payment is left in this batch. Cancel it.')
  if (batch.format === 'pain.001' && !payer) throw new Refused('conflict', NO_FIRM_ACCOUNT)
  if (needsTwo && member === batch.maker)
    throw new Refused('conflict', 'You made this batch. Another member of staff has to release it.')
  return [{ type: 'BatchReleaseBegun', data: { member, ...namedInFile(batch, { payer, codes }) } }]
}

/** A batch as its release would leave it now: what its file is made from. @throws {Refused} not-found, conflict */
export function asReleased(batch: Batch, firm: Pick<Release, 'payer' | 'codes'>, now: number): Batch {
  beginRelease(batch, { member: PREVIEW, needsTwo: false, ...firm })
  return { ...batch, ...fileTerms(namedInFile(batch, firm), now) }
}

/** Nobody's id: a preview releases nothing. */
const PREVIEW = adminKeyId.parse('preview')

/** Only a bank's file names the account that pays, and only one with wallets has codes. */
function namedInFile({ format }: Batch, { payer, codes }: Pick<Release, 'payer' | 'codes'>) {
  return {
    payer: format === 'pain.001' ? payer : null,
    fileVersion: FILE_VERSION,
    ...(format === 'crypto' && { codes: { ...codes } }),
  } as const
}

type Begun = Extract<BatchEvent, { type: 'BatchReleaseBegun' }>['data']

/** The bytes of a file depend on these besides its payments: fixed when its release begins, at a time in ms since 1970. */
export function fileTerms(
  { payer, fileVersion, codes = {} }: Omit<Begun, 'member'>,
  at: number,
): Pick<Batch, 'payer' | 'fileVersion' | 'codes' | 'fileAt'> {
  const isFirst = fileVersion === undefined
  return { payer, codes, fileVersion: fileVersion ?? 1, fileAt: isFirst ? at : at - (at % DAY) }
}

const DAY = 86_400_000

export const NO_FIRM_ACCOUNT = "Set the firm's account under System first: the bank's file names it."

/** The hashes of the two files of a batch, lower-case hex. */
export interface FileHashes {
  readonly sha256: string
  readonly sha256ForPeople: string
}

/** Ends a release, once all its payments are sent. A batch without payments has no files. */
export function endRelease({ state, items }: Batch, hashes: FileHashes | null): BatchEvent[] {
  if (state !== 'releasing') return []
  if (items.length === 0 || !hashes) return [{ type: 'BatchCancelled', data: {} }]
  return [{ type: 'BatchReleased', data: { count: items.length, total: totalOf(items), ...hashes } }]
}

/** @throws {Refused} not-found, conflict */
export function cancelBatch(batch: Batch): BatchEvent[] {
  assertOpen(batch)
  return [{ type: 'BatchCancelled', data: {} }]
}

function assertOpen({ state }: Batch): void {
  if (state === 'none') throw batchNotFound()
  if (state === 'open') return
  throw new Refused(
    'conflict',
    state === 'cancelled' ? 'This batch was cancelled already' : 'This batch was released already',
  )
}

export function batchNotFound(): Refused {
  return new Refused('not-found', 'Batch not found')
}

export function totalOf(items: readonly Pick<BatchItem, 'amount'>[]): Cents {
  return toCents(items.reduce((sum, { amount }) => sum + amount, 0))
}
