import { writeFile } from 'node:fs/promises'
import { checkFraud, NoFraud, proveFraud, type Statement } from '#services/proof/contradiction.ts'

/** A report on two files, or on a file that proves a fraud. */
export interface FraudReport {
  readonly isProven: boolean
  readonly says: string
}

/** Looks for fraud in two files. What proves it is written to `out`. @param trusted Ids of keys. */
export async function reportContradiction(
  [one, other]: readonly [string, string],
  trusted: readonly string[],
  out: string,
): Promise<FraudReport> {
  return report(async () => {
    const text = await proveFraud(one, other, trusted)
    const says = fraudText(await checkFraud(text, trusted), trusted)
    await writeFile(out, text, { mode: 0o600 })
    return `${says}\nThe proof is in ${out}. Anyone checks it: npx proofdesk verify ${out} --key <the id that the firm has published>`
  })
}

/** Checks a file that proves a fraud. @param trusted Ids of keys. */
export async function reportFraudFile(text: string, trusted: readonly string[]): Promise<FraudReport> {
  return report(async () => fraudText(await checkFraud(text, trusted), trusted))
}

async function report(prove: () => Promise<string>): Promise<FraudReport> {
  try {
    return { isProven: true, says: await prove() }
  } catch (error) {
    if (!(error instanceof NoFraud)) throw error
    return { isProven: false, says: `No fraud is proven. ${error.message}.` }
  }
}

function fraudText(statements: readonly Statement[], trusted: readonly string[]): string {
  const keys = [...new Set(statements.map(({ keyId }) => keyId))].join(' and ')
  return [
    'FRAUD PROVEN: the firm signed two statements about one log that cannot both be true.',
    ...statements.map(({ origin, says }) => `  ${origin}: ${says}`),
    trusted.length > 0
      ? 'Both are signed with the key that you trust.'
      : `Both are signed with key ${keys}. One step is left to you: ask whose key it is, for anyone can make such a file with a key of their own.`,
  ].join('\n')
}
