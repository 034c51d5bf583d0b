import type { MasterKeySource } from '#services/process/keys/master-key-candidates.ts'
import { once } from 'node:events'
import { pino } from 'pino'
import { readConfig } from '#services/process/config.ts'
import { openDependencies, prepareDecisions } from '#services/portal/composition-root.ts'
import { rotateMasterKey } from '#services/operations/installation/server/master-key-rotation.ts'

// Started by cli-master-key.test.ts: exchanges the master key and dies as by kill -9 once it has come so far.
const [moment = ''] = process.argv.slice(2)
const parts = await openDependencies(readConfig(process.env), pino({ level: 'silent' }))
await prepareDecisions(parts)
let isReplaced = false

async function reached(name: string): Promise<void> {
  if (name !== moment) return
  process.kill(process.pid, 'SIGKILL')
  await once(process, 'exit')
}

const keyStore = {
  ...parts.keyStore,
  async replace(id: string, expected: Uint8Array, wrapped: Uint8Array) {
    isReplaced = await parts.keyStore.replace(id, expected, wrapped)
    await reached('replaced')
    return isReplaced
  },
}
const masterKey: MasterKeySource = {
  ...parts.masterKey,
  async next(current) {
    const key = await parts.masterKey.next(current)
    await reached('new key written')
    return key
  },
  async confirm(key) {
    await parts.masterKey.confirm(key)
    if (isReplaced) await reached('new key settled')
  },
}
await rotateMasterKey({ ...parts, keyStore, masterKey })
process.stdout.write(`${moment} was not reached\n`)
await parts.close()
