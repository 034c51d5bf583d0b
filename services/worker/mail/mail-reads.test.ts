import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { startDouble } from '#test-support/eventstoredb-double/double.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'

async function openWithDouble() {
  const double = await startDouble()
  onTestFinished(() => double.close())
  const portal = await openPortal({ environment: { EVENTSTORE_URL: double.url } })
  onTestFinished(() => portal.stop())
  return { double, portal }
}

const asksForReset = async (portal: Portal, email: string) =>
  expect((await portal.browser().post('/api/forgot-password', { email })).status).toBe(200)

it('reads its person and the firm from EventStoreDB for a mail, beside its append', async () => {
  const { double, portal } = await openWithDouble()
  const admin = await portal.admin()
  const trader = await eligibleTrader(portal, admin)
  const request = { amount: '100.00', paymentMethod: 'bank', paymentDetails: 'IBAN DE89 3704 0044 0532 0130 00' }
  const { id } = read(Payout, await trader.post('/api/user/payouts', request))
  await portal.mailed()
  /** The calls about streams after the append of the event that the mail is about. */
  const callsOfMail = async (causes: string, cause: () => Promise<void>) => {
    const before = double.calls.length
    await cause()
    await portal.mailed()
    const calls = double.calls.slice(before).filter(({ stream }) => stream !== '$all')
    const caused = calls.findIndex(({ kind, stream }) => kind === 'append' && stream === causes)
    return calls.slice(caused + 1).map(({ kind, stream }) => `${kind} ${stream?.replace(/^mail-.*/, 'mail')}`)
  }
  const expected = [`read user-${trader.id}`, 'read firm-this', 'append mail']

  expect(await callsOfMail(`user-${trader.id}`, () => asksForReset(portal, trader.email))).toEqual(expected)
  const approve = async () =>
    expect((await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })).status).toBe(200)
  expect(await callsOfMail(`account-${trader.id}-a1`, approve)).toEqual(expected)
  // Their dates are whole seconds, so their order is not known.
  expect((await portal.mails(trader.email)).map(({ subject }) => subject).toSorted()).toEqual([
    'Reset your Proofdesk password',
    'You can request payouts now',
    'Your payout of $100.00 was approved',
  ])
})

it('sends no mail again that is on record, when the queue falls back while it runs', async () => {
  const { portal } = await openWithDouble()
  const trader = await portal.trader()
  await asksForReset(portal, trader.email)
  await portal.mailed()
  const { outbox } = portal.running.parts
  const { sent } = await outbox.counts()
  const queue = openSqlite(join(portal.dataDir, 'mail.sqlite'), { part: 'mail queue', durability: 'full' })
  const jobs = queue.statement("UPDATE jobs SET state = 'waiting'").run()
  queue.close()
  await until(async () => (await outbox.counts()).sent === sent + jobs, 'the queue to have sent all again')

  expect((await portal.mails(trader.email)).length).toBe(1)
})
