import type { AnswerFormat } from '../batch-vocabulary.ts'
import { readAnswerCsv } from './answer-csv.ts'
import { type AnswerFile, type BankAnswer, textOf, UnreadableFile } from './bank-answer.ts'
import { readCamt053 } from './camt053.ts'
import { readPain002 } from './pain002.ts'
import { encodingOfXml } from './xml-element.ts'

const listed = (answers: readonly BankAnswer[]): AnswerFile => ({ mentioned: new Set(), answers: () => answers })

const readers: Readonly<Record<AnswerFormat, (bytes: Uint8Array) => AnswerFile>> = {
  csv: (bytes) => listed(readAnswerCsv(textOf(bytes))),
  'pain.002': (bytes) => listed(readPain002(textOf(bytes, encodingOfXml))),
  'camt.053': (bytes) => readCamt053(textOf(bytes, encodingOfXml)),
}

/** The most answers in one file. */
const MOST_ANSWERS = 10_000

/**
 * Reads the answers of a bank's file, in its order. @throws {UnreadableFile} naming the line; then nothing of it
 * counts.
 */
export function readAnswers(format: AnswerFormat, bytes: Uint8Array): AnswerFile {
  const { mentioned, answers } = readers[format](bytes)
  return {
    mentioned,
    answers(isBatch) {
      const all = answers(isBatch)
      if (all.length > MOST_ANSWERS) throw new UnreadableFile(`The file has more than ${MOST_ANSWERS} answers`)
      return all
    },
  }
}
