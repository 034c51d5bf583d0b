import type { PayeeCheck } from '#services/trading/stream/payout-vocabulary.ts'
import { LARGEST_ANSWER_FILE } from '../batch-vocabulary.ts'
import type { RemedyOfReason } from './external-reasons.ts'

/** The answers of a bank about payments, in whatever format. */

export const answeredStates = ['sent', 'paid', 'failed', 'returned'] as const
/** 'sent' says that nothing is decided yet. */
export type AnsweredState = (typeof answeredStates)[number]

/** In cents of the currency. */
export interface Amount {
  readonly amount: number
  readonly currency: string
}

export interface BankAnswer {
  /** Where the file says it: 'line 12'. */
  readonly place: string
  /** Payments by their end-to-end ids, or all of a batch that the same file does not answer one by one. */
  readonly about:
    | { readonly payments: readonly string[] }
    | { readonly batch: string; readonly except: ReadonlySet<string> }
  /** What it makes of the payments; null where it changes nothing. */
  readonly state: AnsweredState | null
  /** What the payee's bank says of name and account. */
  readonly payee: PayeeCheck | null
  /** One of them has to be what was ordered; null where the file names no amount, as a pain.002 may. */
  readonly amounts: readonly Amount[] | null
  /** Why it failed or came back. */
  readonly reason: string | null
  /** What the bank says, in words, with the reason. */
  readonly said: string | null
  readonly remedy: RemedyOfReason | null
  /** Why nothing can be recorded of it, although it names something of ours. */
  readonly problem: { readonly outcome: 'unknown' | 'refused'; readonly words: string } | null
}

/** An answer that says nothing but what is given. */
export function bankAnswer(answer: Pick<BankAnswer, 'place' | 'about'> & Partial<BankAnswer>): BankAnswer {
  const nothing = { state: null, payee: null, amounts: null, reason: null, said: null, remedy: null, problem: null }
  return { ...nothing, ...answer }
}

/** A file of answers that was read. */
export interface AnswerFile {
  /** What may be the ids of batches: a statement names much that is none of ours. */
  readonly mentioned: ReadonlySet<string>
  /** The answers about payments of ours, in the order of the file. */
  answers(isBatch: (id: string) => boolean): readonly BankAnswer[]
}

/** The file of answers cannot be read; the message says where and why. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/** @throws {UnreadableFile} for a file that is empty, too large, or not written in `encoding`. */
export function textOf(bytes: Uint8Array, encoding: (bytes: Uint8Array) => string = () => 'utf-8'): string {
  if (bytes.length === 0) throw new UnreadableFile('The file is empty')
  if (bytes.length > LARGEST_ANSWER_FILE) throw new UnreadableFile('The file is larger than 4 MB')
  const name = encoding(bytes)
  try {
    return new TextDecoder(name, { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof RangeError)
      throw new UnreadableFile(
        `Line 1: the file says that it is written in ${name}, which cannot be read here. Export it in UTF-8`,
      )
    throw new UnreadableFile(`Line ${lineOfFault(bytes, name)}: the file is not written in ${name.toUpperCase()}`)
  }
}

/** The line with the first bytes that are not of the encoding. */
function lineOfFault(bytes: Uint8Array, encoding: string): number {
  // A replacement character that the file does not contain itself marks the fault.
  const text = new TextDecoder(encoding).decode(bytes)
  const before = text.slice(0, Math.max(0, text.indexOf('\ufffd')))
  return before.split('\n').length
}

/** A text of a bank in one line, without characters that nobody sees; null where nothing is left. */
export function plainText(text: string): string | null {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(/\p{C}/gu, '').trim().slice(0, 500) || null
}
