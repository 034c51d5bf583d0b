import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe } from 'vitest'

/** Tests that share what `open` starts. When `missing` says why it cannot run they are skipped and name the reason. */
export function describeServer<Shared extends { close(): Promise<void> }>(
  name: string,
  missing: string | undefined,
  open: () => Promise<Shared>,
  tests: (shared: () => Shared) => void,
): void {
  describe.skipIf(missing)(`${name}${missing === undefined ? '' : ` (${missing})`}`, () => {
    let shared: Shared | undefined
    beforeAll(async () => {
      shared = await open()
    })
    afterAll(() => shared?.close())
    tests(() => {
      if (!shared) throw new Error('The server runs in tests only')
      return shared
    })
  })
}

/** Why a program cannot be run, undefined if it can. Tests that are skipped for it fail with CI=true: closing-line.ts. */
export function whyNotInstalled(...[program, ...words]: [string, ...string[]]): string | undefined {
  return spawnSync(program, words).status === 0 ? undefined : `${[program, ...words].join(' ')} does not run here`
}
