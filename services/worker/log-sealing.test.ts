import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openPortal } from '#test-support/portal.ts'
import { verified } from '#test-support/small-firm.ts'
import { withDependencies } from '#test-support/stores.ts'
import { until } from '#test-support/until.ts'
import type { LeaseStore } from '#infra/read-model-store/read-model-store.ts'
import { createAttestationRequests } from '#services/proof/attestation-requests.ts'
import { createSealer } from '#services/proof/sealer.ts'
import { createSealingWatch } from '#services/proof/sealing-watch.ts'
import { parseCheckpoint } from '#services/proof/tree-checkpoint.ts'
import { storesFor } from '#test-support/portal-stores.ts'
import { sealRegularly } from './sealing-schedule.ts'

describe('the log of a running portal', () => {
  it('is sealed at intervals, and verified as a whole', async () => {
    const portal = await openPortal({ environment: { SEAL_SECONDS: '1' } })
    try {
      for (const size of [1, 2]) {
        await portal.trader()
        await portal.mailed()
        await until(
          async () => (await verified(portal.running.parts)).unsealed === 1,
          'everything but the newest checkpoint to be sealed',
        )
        expect(await verified(portal.running.parts)).toMatchObject({ finding: null, unsealed: 1 })
        expect((await verified(portal.running.parts)).seals).toBeGreaterThanOrEqual(size)
      }
    } finally {
      await portal.stop()
    }
  })

  it('is sealed once when several processes seal at the same time', async () => {
    const portal = await openPortal({ environment: { SEAL_SECONDS: '1' } })
    const { parts } = portal.running
    const sealer = () =>
      createSealer({ ...parts, origin: parts.logOrigin, checkpoints: parts.readModelStore.checkpoints })
    const sealers = [sealer(), sealer(), sealer()]
    try {
      for (let round = 0; round < 10; round++) {
        await portal.trader()
        await Promise.all(sealers.map((each) => each.sealAll()))
      }
      expect(await verified(parts)).toMatchObject({ finding: null })
    } finally {
      await portal.stop()
    }
  })

  it('is sealed when the worker stops while it still becomes the sealer', async () => {
    const portal = await openPortal({ services: ['command', 'query'] })
    const { parts } = portal.running
    const [{ checkpoints, leases }, stopping] = [parts.readModelStore, new AbortController()]
    const watch = createSealingWatch({ ...parts, witnesses: [] })
    const sealing = { ...parts, origin: parts.logOrigin, checkpoints, watch }
    /** A server that answers about a lease only when the process is about to end. */
    const acquire: LeaseStore['acquire'] = async (...lease) => {
      stopping.abort()
      return leases.acquire(...lease)
    }
    try {
      await portal.trader()
      await sealRegularly(createSealer(sealing), {
        ...{ leases: { ...leases, acquire }, every: 86_400_000, log: parts.log, watch, signal: stopping.signal },
        attestationRequests: createAttestationRequests(sealing),
      })
      expect(await verified(parts)).toMatchObject({ finding: null, seals: 1, unsealed: 1 })
    } finally {
      await portal.stop()
    }
  })

  it('is sealed when the portal stops, and continues at the next start', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-sealing-'))
    try {
      let before = 0
      for (const seals of [1, 2]) {
        const portal = await openPortal({ dataDir })
        await portal.trader()
        await portal.mailed()
        await portal.stop()
        await withDependencies({ DATA_DIR: dataDir, ...(await storesFor(dataDir)) }, async (parts) => {
          expect(await verified(parts)).toMatchObject({ finding: null, seals, unsealed: 1 })
          const { size } = parseCheckpoint((await parts.publishedTree.checkpoint()) ?? '')
          expect(size).toBeGreaterThan(before)
          before = size
        })
      }
    } finally {
      await rm(dataDir, { recursive: true })
    }
  })
})
