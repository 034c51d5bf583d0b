import type { AnswerFormat } from '../batch-vocabulary.ts'
import { readAnswerCsv } from './answer-csv.ts'
import { type BankAnswer, textOf, UnreadableFile } from './bank-answer.ts'
import { readCamt053 } from './camt053.ts'
import { readPain002 } from './pain002.ts'

const readers: Readonly<Record<AnswerFormat, (text: string) => readonly BankAnswer[]>> = {
  csv: readAnswerCsv,
  'pain.002': readPain002,
  'camt.053': readCamt053,
}

/** The most answers in one file. */
const MOST_ANSWERS = 10_000

/**
 * Reads the answers of a bank's file, in its order. @throws {UnreadableFile} naming the line; then nothing of it
 * counts.
 */
export function readAnswers(format: AnswerFormat, bytes: Uint8Array): readonly BankAnswer[] {
  const answers = readers[format](textOf(bytes))
  if (answers.length > MOST_ANSWERS) throw new UnreadableFile(`The file has more than ${MOST_ANSWERS} answers`)
  return answers
}
