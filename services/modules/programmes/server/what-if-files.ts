import { z } from 'zod'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { ProgrammeId } from '#services/modules/ids.ts'
import { WhatIfDifference } from '../programme-api.ts'

/** The newest what-if of each version: how far it is, and then its result. They hold ids and amounts, and no person. */

const progress = z.object({ hash: z.string(), accounts: z.int(), compared: z.int() })
export type WhatIfProgress = z.infer<typeof progress>

const result = z.object({
  hash: z.string(),
  accounts: z.int(),
  differences: z.array(WhatIfDifference),
})
export type WhatIfResult = z.infer<typeof result>

interface VersionPath {
  readonly id: ProgrammeId
  readonly version: number
}

const keyOf = ({ id, version }: VersionPath, part: 'progress' | 'result') => `what-if/${id}/${version}/${part}.json`

export function createWhatIfFiles(store: Pick<FileStore, 'put' | 'get'>) {
  const put = (key: string, content: object) => store.put(key, Buffer.from(JSON.stringify(content)), 'application/json')
  const get = async <Content>(key: string, schema: z.ZodType<Content>): Promise<Content | undefined> => {
    const file = await store.get(key)
    if (!file) return undefined
    const chunks: Buffer[] = []
    for await (const chunk of file.content) chunks.push(Buffer.from(chunk))
    return schema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  }
  return {
    putProgress: (version: VersionPath, content: WhatIfProgress) => put(keyOf(version, 'progress'), content),
    progress: (version: VersionPath) => get(keyOf(version, 'progress'), progress),
    putResult: (version: VersionPath, content: WhatIfResult) => put(keyOf(version, 'result'), content),
    result: (version: VersionPath) => get(keyOf(version, 'result'), result),
  }
}
