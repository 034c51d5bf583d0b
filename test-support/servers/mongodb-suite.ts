import { afterAll, beforeAll, describe } from 'vitest'
import { type FerretDb, startFerretDb, whyNoFerretDb } from './ferretdb.ts'

/** Tests with a FerretDB, which is there once they run, and ends after them. Where there can be none they are skipped, and say why. */
export function describeFerretDb(name: string, tests: (shared: () => FerretDb) => void): void {
  describe.skipIf(whyNoFerretDb)(`${name}${whyNoFerretDb ? ` (skipped: ${whyNoFerretDb})` : ''}`, () => {
    let server: FerretDb | undefined
    beforeAll(async () => {
      server = await startFerretDb()
    })
    afterAll(() => server?.close())
    tests(() => {
      if (!server) throw new Error('There is no FerretDB before the tests begin')
      return server
    })
  })
}
