import { beforeAll, describe, expect, it } from 'vitest'
import { type Forgery, forgeriesOf } from '../../test-support/export-attacks.ts'
import { exportedAccount, exportKinds } from '../../test-support/exported-account.ts'
import { verifyExport } from './export-verifier.ts'

let small: Awaited<ReturnType<typeof exportedAccount>>
beforeAll(async () => void (small = await exportedAccount()))

async function accepted(forgeries: Iterable<Forgery>, trusted: readonly string[]): Promise<{ tried: number; names: string[] }> {
  let tried = 0
  const names: string[] = []
  for (const { name, text } of forgeries) {
    tried += 1
    if ((await verifyExport(text, trusted)).outcome === 'genuine') names.push(name)
  }
  return { tried, names }
}

describe.each(exportKinds)("an honest %s's export", (kind) => {
  it('is genuine', async () => {
    const verdict = await verifyExport(small.files[kind])
    expect(verdict).toMatchObject({ outcome: 'genuine', account: small.account, isTrusted: false })
  })

  it('is refused with any one thing changed', async () => {
    const { tried, names } = await accepted(forgeriesOf(small.files[kind]), [])
    console.log(kind, tried)
    expect(names).toEqual([])
  })
})
