import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { Trial } from '../programme.ts'
import type { ProgrammeId } from '#services/framework/ids.ts'
import { type WhatIfCounts, WhatIfDifference, whatIfCounts } from '../programme-api.ts'

/**
 * The files of what-ifs, a folder for each terms of a version: how far it is, and then its result with the differences in parts, so
 * that a page is read without the others. The result and its parts are named after their SHA-256: the log has that of the
 * result, the result that of its parts. They hold ids and amounts, and no person.
 */

const progress = z.object({ accounts: z.int(), compared: z.int() })
export type WhatIfProgress = z.infer<typeof progress>

const result = z.object({
  accounts: z.int(),
  counts: whatIfCounts,
  differences: z.int(),
  /** Names of the files with the differences. 0.2.0 wrote none, and counted them. */
  parts: z.array(z.string()).optional(),
})
type WhatIfResult = z.infer<typeof result>

const part = z.array(WhatIfDifference)
const PART = 200

/** The terms of a version that a what-if is about. */
export interface TermsPath {
  readonly id: ProgrammeId
  readonly version: number
  readonly hash: string
}

const folderOf = ({ id, version, hash }: TermsPath) => `what-if/${id}/${version}/${hash}/`

export function createWhatIfFiles(store: Pick<FileStore, 'put' | 'get' | 'removeAll'>) {
  const put = (terms: TermsPath, name: string, content: object) =>
    store.put(`${folderOf(terms)}${name}.json`, Buffer.from(JSON.stringify(content)), 'application/json')
  const get = async <Content>(
    terms: TermsPath,
    name: string,
    schema: z.ZodType<Content>,
  ): Promise<Content | undefined> => {
    const file = await store.get(`${folderOf(terms)}${name}.json`)
    if (!file) return undefined
    const chunks: Buffer[] = []
    for await (const chunk of file.content) chunks.push(Buffer.from(chunk))
    const bytes = Buffer.concat(chunks)
    if (/^[0-9a-f]{64}$/.test(name) && hashOf(bytes) !== name) return undefined
    return schema.parse(JSON.parse(bytes.toString('utf8')))
  }
  /** Returns the name of the file: the SHA-256 of its content. */
  const putHashed = async (terms: TermsPath, content: object): Promise<string> => {
    const name = hashOf(JSON.stringify(content))
    await put(terms, name, content)
    return name
  }
  return {
    putProgress: (terms: TermsPath, content: WhatIfProgress) => put(terms, 'progress', content),
    progress: (terms: TermsPath) => get(terms, 'progress', progress),

    /** The result comes last: where it is, all of its differences are. Returns its SHA-256. */
    async putResult(
      terms: TermsPath,
      { accounts, differences }: { readonly accounts: number; readonly differences: readonly WhatIfDifference[] },
    ): Promise<string> {
      const parts: string[] = []
      for (let start = 0; start < differences.length; start += PART)
        parts.push(await putHashed(terms, differences.slice(start, start + PART)))
      const counts = countsOf(differences)
      return putHashed(terms, { accounts, counts, differences: differences.length, parts } satisfies WhatIfResult)
    },

    /**
     * Reads a result with so many of its differences from one on; fewer at the end. Undefined where it is gone or is not
     * what the log says.
     *
     * @param tried What the log says of the what-if.
     */
    async result(terms: TermsPath, tried: Trial, start: number, count: number) {
      const found = await get(terms, tried.sha256 ?? 'result', result)
      if (!found || found.accounts !== tried.accounts || found.differences !== tried.differences) return undefined
      const { parts, ...all } = found
      const first = Math.floor(start / PART)
      const last = Math.min(Math.ceil((start + count) / PART), Math.ceil(found.differences / PART))
      const differences: WhatIfDifference[] = []
      for (let n = first; n < last; n++) {
        const some = await get(terms, parts ? (parts[n] ?? '') : `differences-${n}`, part)
        if (!some) return undefined
        differences.push(...some)
      }
      const from = start - first * PART
      return { ...all, page: differences.slice(from, from + count) }
    },

    remove: (terms: TermsPath): Promise<void> => store.removeAll(folderOf(terms)),
  }
}

function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Counts these differences. */
export function countsOf(differences: readonly WhatIfDifference[]): WhatIfCounts {
  const counts = { breached: 0, notBreached: 0, passed: 0, notPassed: 0, payouts: 0 }
  for (const { from, to } of differences) {
    if (from.status !== to.status) {
      if (to.status === 'breached') counts.breached += 1
      if (from.status === 'breached') counts.notBreached += 1
      if (to.status === 'passed') counts.passed += 1
      if (from.status === 'passed') counts.notPassed += 1
    }
    if (JSON.stringify(from.payout) !== JSON.stringify(to.payout)) counts.payouts += 1
  }
  return counts
}
