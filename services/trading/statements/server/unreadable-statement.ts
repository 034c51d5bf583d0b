import type { StatementAccount, StatementFormatId } from '../statement-vocabulary.ts'

/** The field of a request, or the option of a command, that is at fault. */
export type StatementField = 'format' | 'zone' | 'decimal' | 'dates' | 'kind' | 'statementFile' | 'mapping'

interface StatementFault {
  readonly field: StatementField | `mapping.${string}`
  readonly message: string
}

/** What a file is, before its times or numbers can be read. */
export interface RecognisedFile extends StatementAccount {
  readonly format: StatementFormatId
}

/** A file cannot be read, or not without more being said about it. It has at least one fault. */
export class UnreadableStatement extends Error {
  override readonly name = 'UnreadableStatement'
  /** What is known of a file all the same. */
  recognised: RecognisedFile | null = null
  readonly faults: readonly StatementFault[]
  constructor(...faults: readonly StatementFault[]) {
    super(faults.map(({ message }) => message).join(' '))
    this.faults = faults
  }
}

/** A file is larger than any that is read, packed or unpacked. */
export class LargeStatement extends Error {
  override readonly name = 'LargeStatement'
}

/** A cell cannot be read as what it has to be. The message is the reason of its row. */
export class UnreadableCell extends Error {
  override readonly name = 'UnreadableCell'
}

export function unreadableFile(message: string): UnreadableStatement {
  return new UnreadableStatement({ field: 'statementFile', message })
}
