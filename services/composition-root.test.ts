import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BadConfiguration } from './config.ts'
import { withStores } from '#test-support/stores.ts'
import { temporaryFolder } from '#test-support/program.ts'

it('a log whose keys are gone is not gone on with under new ones', async () => {
  const dataDir = temporaryFolder()
  const end = await withStores(dataDir, ({ eventStore }) => eventStore.end())
  expect(Number(end)).toBeGreaterThan(0)
  for (const file of readdirSync(dataDir).filter((name) => name.startsWith('keys.sqlite'))) rmSync(join(dataDir, file))

  for (let n = 0; n < 2; n++) {
    const opening = withStores(dataDir, async () => {})
    await expect(opening).rejects.toThrow(BadConfiguration)
    await expect(opening).rejects.toThrow("lacks the keys 'root', 'installation'")
  }
})
