import { LARGEST_ANSWER_FILE } from '../batch-vocabulary.ts'

/** The answers of a bank about payments, in whatever format. */

export const answeredStates = ['sent', 'paid', 'failed', 'returned'] as const
/** 'sent' says that nothing is decided yet. */
export type AnsweredState = (typeof answeredStates)[number]

export interface BankAnswer {
  /** Where the file says it: 'line 12'. */
  readonly place: string
  /** One payment by its end-to-end id, or all of a batch that the same file does not answer one by one. */
  readonly about: { readonly reference: string } | { readonly batch: string; readonly except: ReadonlySet<string> }
  readonly state: AnsweredState
  /** In cents, of the payment or of the whole batch; null where the file says none, as a pain.002 may. */
  readonly amount: number | null
  /** Three letters; null without an amount. */
  readonly currency: string | null
  readonly reason: string | null
}

/** The file of answers cannot be read; the message says where and why. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/** @throws {UnreadableFile} for a file that is empty, too large, or not UTF-8. */
export function textOf(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new UnreadableFile('The file is empty')
  if (bytes.length > LARGEST_ANSWER_FILE) throw new UnreadableFile('The file is larger than 4 MB')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UnreadableFile(`Line ${lineOfFault(bytes)}: the file is not written in UTF-8`)
  }
}

/** The line with the first bytes that are not UTF-8. */
function lineOfFault(bytes: Uint8Array): number {
  // A replacement character that the file does not contain itself marks the fault.
  const text = new TextDecoder('utf-8').decode(bytes)
  const before = text.slice(0, Math.max(0, text.indexOf('\ufffd')))
  return before.split('\n').length
}

/** A text of a bank in one line, without characters that nobody sees; null where nothing is left. */
export function plainText(text: string): string | null {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(/\p{C}/gu, '').trim().slice(0, 500) || null
}
