import { expect, it, onTestFinished } from 'vitest'
import { openPortal } from '#test-support/portal.ts'
import { runsSeparately } from '#test-support/separate-services.ts'
import { seal, verified } from '#test-support/small-firm.ts'

const RUNS = 100

// With the worker in another process, sealing from here would compete with it.
it.skipIf(runsSeparately)(
  'finds nothing in a hundred verifications beside a portal that seals',
  async () => {
    const portal = await openPortal({ environment: { SEAL_SECONDS: '86400' } })
    onTestFinished(() => portal.stop())
    const { parts } = portal.running
    const trader = await portal.trader()
    await seal(parts)
    const verifying = { isDone: false }
    const sealing = async () => {
      let checkpoints = 0
      for (let n = 0; !verifying.isDone; n++) {
        await trader.patch('/api/user/profile', { city: n % 2 === 0 ? 'Paris' : 'London' })
        checkpoints += await seal(parts)
      }
      return checkpoints
    }
    const verifyingAll = async () => {
      const findings: unknown[] = []
      try {
        for (let run = 0; run < RUNS; run++) {
          const { finding } = await verified(parts)
          if (finding) findings.push(finding)
        }
      } finally {
        verifying.isDone = true
      }
      return findings
    }
    const [findings, checkpoints] = await Promise.all([verifyingAll(), sealing()])
    expect(findings).toEqual([])
    expect(checkpoints).toBeGreaterThan(RUNS / 10)
  },
  120_000,
)
