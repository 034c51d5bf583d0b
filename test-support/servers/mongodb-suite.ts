import { afterAll, beforeAll, describe } from 'vitest'
import { type FerretDb, startFerretDb, whyNoFerretDb } from './ferretdb.ts'

/** Tests that share a FerretDB. Without one they are skipped and name the reason. */
export function describeFerretDb(name: string, tests: (shared: () => FerretDb) => void): void {
  describe.skipIf(whyNoFerretDb)(`${name}${whyNoFerretDb ? ` (skipped: ${whyNoFerretDb})` : ''}`, () => {
    let server: FerretDb | undefined
    beforeAll(async () => {
      server = await startFerretDb()
    })
    afterAll(() => server?.close())
    tests(() => {
      if (!server) throw new Error('The server runs in tests only')
      return server
    })
  })
}
