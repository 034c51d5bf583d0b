import { expect, it, onTestFinished } from 'vitest'
import { pino } from 'pino'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { changeAccount, openAccount } from '#services/trading/stream/account.ts'
import { accountIdOf, userId } from '#services/framework/ids.ts'
import { operationRecord } from '#services/operations/installation/installation-api.ts'
import { toCents } from '#services/rules/money.ts'
import { verificationRecord } from '#services/proof/verification-record.ts'
import { openPortal } from '#test-support/portal.ts'
import { seal } from '#test-support/small-firm.ts'
import { until } from '#test-support/until.ts'
import { verifyRegularly } from './verification-schedule.ts'

it('the verification of a log continues where another worker was killed, and rests most of the time', async () => {
  const portal = await openPortal({ services: ['command', 'query'] })
  onTestFinished(() => portal.stop())
  const { parts } = portal.running
  const id = accountIdOf(userId.parse('anna0001'), 1)
  const change = (balance: number) =>
    parts.repositories
      .of(accountStreams)
      .decide(id, systemContext('test', 'r1'), ({ account }) =>
        account.open ? changeAccount(account, { balance: toCents(balance) }) : openAccount(account, id),
      )
  for (let n = 0; n < 2_000; n++) await change(n)
  await seal(parts)
  const kept = async () => {
    const record = await parts.records.read('round', verificationRecord)
    return typeof record === 'object' ? record : undefined
  }
  const begin = () => {
    const [stop, log] = [new AbortController(), pino({ level: 'silent' })]
    const { leases } = parts.readModelStore
    const ended = verifyRegularly({ ...parts, log }, { leases, every: 3_600_000, signal: stop.signal })
    return { stop: () => (stop.abort(), ended) }
  }

  const first = begin()
  await until(async () => (await kept())?.round, 'the first steps')
  await first.stop()
  const { round } = (await kept()) ?? {}
  expect(Number(round?.state.at.position)).toBeGreaterThan(0)
  expect(Number(round?.state.at.position)).toBeLessThan(2_000)

  const second = begin()
  const { ended } = await until(async () => {
    const record = await kept()
    return record?.ended ? record : undefined
  }, 'the end of the round')
  const took = Date.now() - (ended?.startedAt ?? 0)
  await second.stop()
  expect(ended?.startedAt).toBe(round?.startedAt)
  expect(ended?.processorMs).toBeGreaterThan(round?.processorMs ?? Infinity)
  // The last step is followed by no rest.
  expect((ended?.processorMs ?? Infinity) / took).toBeLessThan(0.08)
  expect(await parts.records.read('verification', operationRecord)).toMatchObject({
    startedAt: new Date(round?.startedAt ?? 0).toISOString(),
    upTo: Number(await parts.eventStore.end()),
  })
})
