import { Client } from 'undici'
import { BASED_ON_HEADER } from '#services/framework/api/headers.ts'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { accountIdOf, userId } from '#services/framework/ids.ts'
import {
  payoutOrders,
  paymentStates,
  payoutMethods,
  payoutStatuses,
} from '#services/trading/stream/payout-vocabulary.ts'
import { Payout, VerdictGiven } from '#services/payments/payouts/payout-api.ts'
import { quantile } from '#test-support/quantile.ts'
import { sampleTerms } from '#test-support/terms.ts'
import { jsonHeaders, send, timeReads, untilCaughtUp } from './clients.ts'
import { below, type Figure, percentiles, type Settings, type Subject, whole } from './figures.ts'
import { payingFirm } from './histories.ts'
import { signInAdmin, startPortal, startProgram } from './programs.ts'

const APPROVALS = 200
/** The goal of all of them, in ms. */
const APPROVALS_MS = 3_000
const REQUESTS = 50
/** The goal of a page of them: p95 in ms. */
const LIST_MS = 50
const DAY = 86_400_000

/** How long it takes to approve many payouts, and to find some among very many. */
export const payouts: Subject = {
  name: 'payouts',
  about: `${APPROVALS} approvals in bulk; pages of as many payouts as other lists have users; embedded, over HTTP`,

  async measure(settings: Settings): Promise<readonly Figure[]> {
    return [...(await approvals()), ...(await lists(settings))]
  },
}

/** One after the other, as the dialog about several payouts sends them. Half of the accounts have terms. */
async function approvals(): Promise<Figure[]> {
  const { url, stop, admin, traders } = await startPortal(APPROVALS)
  const client = new Client(url)
  const change = (method: 'POST' | 'PATCH', path: string, cookie: string, body: object, headers = {}) =>
    send(client, { method, path, headers: { ...jsonHeaders(cookie), ...headers }, body: JSON.stringify(body) })
  const asked: string[] = []
  for (const [n, { id, cookie }] of traders.entries()) {
    const terms = n % 2 === 0 ? { terms: sampleTerms() } : {}
    await change('PATCH', `/api/admin/accounts/${accountIdOf(userId.parse(id), 1)}`, admin, {
      balance: '100000.00',
      ...terms,
    })
    await change('PATCH', `/api/admin/accounts/${accountIdOf(userId.parse(id), 1)}`, admin, { balance: '104000.00' })
    const request = { amount: '2500.00', paymentMethod: 'paypal', paymentDetails: 'ada@example.com' }
    asked.push(Payout.parse(JSON.parse((await change('POST', '/api/user/payouts', cookie, request)).text)).id)
  }
  await untilCaughtUp(url, admin)
  const began = performance.now()
  for (const id of asked) {
    const verdict = { status: 'approved', adminNotes: '', deduct: true }
    const { text } = await change('PATCH', `/api/admin/payouts/${id}`, admin, verdict, {
      [BASED_ON_HEADER]: 'undecided',
    })
    if (VerdictGiven.parse(JSON.parse(text)).status !== 'approved') throw new Error(`${id} is not approved: ${text}`)
  }
  const took = performance.now() - began
  await untilCaughtUp(url, admin)
  for (const { cookie } of traders) {
    const { text } = await send(client, { method: 'GET', path: '/api/user/account', headers: { cookie } })
    const { balance } = OwnAccount.parse(JSON.parse(text))
    if (balance !== '101500.00') throw new Error(`A balance is ${balance} after the deduction`)
  }
  await client.close()
  await stop()
  return [below(`${APPROVALS} approvals with deductions, half by terms`, APPROVALS_MS, took, 'ms')]
}

async function lists(settings: Settings): Promise<Figure[]> {
  const { users: count, say } = settings
  const { dataDir, result } = await payingFirm(count, { say })
  const { url, stop } = await startProgram({ service: 'query', dataDir })
  const command = await startProgram({ service: 'command', dataDir })
  const cookie = await signInAdmin(command.url)
  await command.stop()
  const { person, from, until } = result
  const halfInDays = Math.floor((Date.now() - (from + until) / 2) / DAY)
  const surname = person.fullName.split(' ').at(-1)
  const filters: readonly string[] = [
    '',
    ...[...payoutStatuses, 'decided'].map((status) => `status=${status}`),
    ...paymentStates.map((state) => `payment=${state}`),
    ...payoutMethods.map((method) => `method=${method}`),
    `userId=${result.userId}`,
    `account=${result.userId}-a1`,
    `batch=${result.batch}`,
    'minAmount=4000',
    'maxAmount=50',
    'minAmount=100&maxAmount=2000',
    'olderThan=1',
    `olderThan=${halfInDays}`,
    'approvals=first',
    'payment=open&method=bank&olderThan=7',
    'payment=failed&method=bank',
    'status=pending&minAmount=4000',
    'payment=paid&method=crypto&minAmount=4000&maxAmount=4100',
    `search=${person.email}`,
    `search=${surname}`,
    `search=${surname}&payment=open`,
  ]
  const figures: Figure[] = []
  const measure = async (what: string, path: string, goal = true): Promise<number> => {
    const times = await timeReads(url, cookie, REQUESTS, () => path)
    say(`${what}: ${percentiles(times, 0.5, 0.95)}`)
    const p95 = quantile(times, 0.95)
    if (goal && p95 >= LIST_MS) figures.push(below(what, LIST_MS, p95, 'ms', percentiles(times, 0.5, 0.99)))
    return p95
  }
  const slowest = { filter: { what: '', p95: 0 }, sums: { what: '', p95: 0 } }
  for (const filter of filters) {
    for (const order of payoutOrders) {
      const what = `${filter || 'all'}, sort=${order}`
      const p95 = await measure(what, `/api/admin/payouts?limit=25&sort=${order}&${filter}`)
      if (p95 > slowest.filter.p95) slowest.filter = { what, p95 }
    }
    const sums = await measure(`sums of ${filter || 'all'}`, `/api/admin/payouts/figures?${filter}`, false)
    if (sums > slowest.sums.p95) slowest.sums = { what: filter, p95: sums }
  }
  await stop()
  return [
    ...figures,
    below(
      `${whole(count)} payouts, the slowest of ${filters.length} filters in any order, p95`,
      LIST_MS,
      slowest.filter.p95,
      'ms',
      slowest.filter.what,
    ),
    { what: 'the slowest sums above a list, p95', value: `${slowest.sums.p95.toFixed(1)} ms, ${slowest.sums.what}` },
  ]
}
