import { z } from 'zod'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { ProgrammeId } from '#services/framework/ids.ts'
import { type WhatIfCounts, WhatIfDifference, whatIfCounts } from '../programme-api.ts'

/**
 * The files of what-ifs, a folder for each terms of a version: how far it is, and then its result with the differences in parts, so
 * that a page is read without the others. They hold ids and amounts, and no person.
 */

const progress = z.object({ accounts: z.int(), compared: z.int() })
export type WhatIfProgress = z.infer<typeof progress>

const result = z.object({ accounts: z.int(), counts: whatIfCounts, differences: z.int() })
export type WhatIfResult = z.infer<typeof result>

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
    return schema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  }
  return {
    putProgress: (terms: TermsPath, content: WhatIfProgress) => put(terms, 'progress', content),
    progress: (terms: TermsPath) => get(terms, 'progress', progress),

    /** The result comes last: where it is, all of its differences are. */
    async putResult(
      terms: TermsPath,
      {
        differences,
        ...rest
      }: Omit<WhatIfResult, 'differences'> & { readonly differences: readonly WhatIfDifference[] },
    ): Promise<void> {
      for (let start = 0; start < differences.length; start += PART)
        await put(terms, `differences-${start / PART}`, differences.slice(start, start + PART))
      await put(terms, 'result', { ...rest, differences: differences.length })
    },

    result: (terms: TermsPath) => get(terms, 'result', result),

    /** So many differences from this one on; fewer at the end. */
    async differences(terms: TermsPath, start: number, count: number): Promise<WhatIfDifference[]> {
      const first = Math.floor(start / PART)
      const found: WhatIfDifference[] = []
      for (let n = first; n * PART < start + count; n++) {
        const differences = await get(terms, `differences-${n}`, part)
        found.push(...(differences ?? []))
        if (!differences || differences.length < PART) break
      }
      return found.slice(start - first * PART, start - first * PART + count)
    },

    remove: (terms: TermsPath): Promise<void> => store.removeAll(folderOf(terms)),
  }
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
