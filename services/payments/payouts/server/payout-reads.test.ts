import { expect, it, onTestFinished } from 'vitest'
import { startDouble } from '#test-support/eventstoredb-double/double.ts'
import { eligibleTrader } from '#test-support/http-calls.ts'
import { openPortal } from '#test-support/portal.ts'
import { runsSeparately } from '#test-support/separate-services.ts'

// Two processes do not know of each other's events: one of them tries twice.
it.skipIf(runsSeparately)('reads at most one stream of EventStoreDB for a payout request', async () => {
  const double = await startDouble()
  onTestFinished(() => double.close())
  // Without a worker, whose mails and policies read as well.
  const portal = await openPortal({ environment: { EVENTSTORE_URL: double.url }, services: ['command'] })
  // A process connects to one EventStoreDB: the next file of this worker needs the place.
  onTestFinished(() => portal.stop())
  const trader = await eligibleTrader(portal, await portal.admin())
  const request = async (amount: string) => {
    const body = { amount, paymentMethod: 'bank', paymentDetails: 'IBAN DE89 3704 0044 0532 0130 00' }
    expect((await trader.post('/api/user/payouts', body)).status).toBe(201)
  }
  // The first checks the session, too.
  await request('100.00')
  for (const amount of ['101.00', '102.00', '103.00']) {
    const before = double.calls.length
    await request(amount)
    const calls = double.calls.slice(before)
    expect(calls.filter(({ kind }) => kind === 'append')).toEqual([
      { kind: 'append', stream: `account-${trader.id}-a1` },
    ])
    const reads = calls.flatMap(({ kind, stream }) => (kind === 'read' ? stream : []))
    expect(reads).toEqual([`user-${trader.id}`])
  }
})
