import { Client } from 'undici'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { BASED_ON_HEADER } from '#services/framework/api/headers.ts'
import { accountIdOf, type PayoutId, payoutId, userId } from '#services/framework/ids.ts'
import { newUserId } from '#services/identity/users/server/password-link-tokens.ts'
import { Batch } from '#services/payments/batches/batch-api.ts'
import { Payout, VerdictGiven } from '#services/payments/payouts/payout-api.ts'
import { toCents } from '#services/rules/money.ts'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { approvePayout } from '#services/trading/stream/payout.ts'
import {
  paymentStates,
  payoutMethods,
  payoutOrders,
  payoutStatuses,
} from '#services/trading/stream/payout-vocabulary.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { quantile } from '#test-support/quantile.ts'
import { withDependencies } from '#test-support/stores.ts'
import { sampleTerms } from '#test-support/terms.ts'
import { jsonHeaders, send, untilCaughtUp } from './clients.ts'
import { below, type Figure, p95, percentiles, type Settings, type Subject, whole } from './figures.ts'
import { payingFirm } from './histories.ts'
import { openPortal, openQueries, scratchFolder, startPortal } from './programs.ts'

const APPROVALS = 200
const REQUESTS = 50
/** The goal of a page of payouts: p95 in ms. */
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
  const change = async (method: 'POST' | 'PATCH', path: string, cookie: string, body: object, headers = {}) => {
    const request = { method, path, headers: { ...jsonHeaders(cookie), ...headers }, body: JSON.stringify(body) }
    const answer: unknown = JSON.parse((await send(client, request)).text)
    return answer
  }
  const ids: PayoutId[] = []
  for (const [n, { id, cookie }] of traders.entries()) {
    const account = `/api/admin/accounts/${accountIdOf(userId.parse(id), 1)}`
    await change('PATCH', account, admin, { balance: '100000.00', ...(n % 2 === 0 && { terms: sampleTerms() }) })
    await change('PATCH', account, admin, { balance: '104000.00' })
    const request = { amount: '2500.00', paymentMethod: 'paypal', paymentDetails: 'ada@example.com' }
    ids.push(payoutId.parse(Payout.parse(await change('POST', '/api/user/payouts', cookie, request)).id))
  }
  await untilCaughtUp(url, admin)
  const began = performance.now()
  const verdict = { status: 'approved', adminNotes: '', deduct: true }
  for (const id of ids) {
    const answer = await change('PATCH', `/api/admin/payouts/${id}`, admin, verdict, { [BASED_ON_HEADER]: 'undecided' })
    if (VerdictGiven.parse(answer).status !== 'approved') throw new Error(`${id} is not approved`)
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
  return [below(`${APPROVALS} approvals with deductions, half by terms`, 3_000, took, 'ms')]
}

async function lists({ users: count, say }: Settings): Promise<Figure[]> {
  const { dataDir, result } = await payingFirm(count, { say })
  const { times, stop } = await openQueries(dataDir)
  const { person, from, until } = result
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
    `olderThan=${Math.floor((Date.now() - (from + until) / 2) / DAY)}`,
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
  const measure = async (what: string, path: string) => {
    const seen = await times(REQUESTS, () => path)
    say(`${what}: ${percentiles(seen, 0.5, 0.95)}`)
    return { what, seen, ms: quantile(seen, 0.95) }
  }
  const none = { what: '', ms: 0 }
  const slowest = { page: none, sums: none }
  for (const filter of filters) {
    for (const order of payoutOrders) {
      const path = `/api/admin/payouts?limit=25&sort=${order}&${filter}`
      const page = await measure(`${filter || 'all'}, sort=${order}`, path)
      if (page.ms >= LIST_MS) figures.push(p95(page.what, LIST_MS, page.seen))
      if (page.ms > slowest.page.ms) slowest.page = page
    }
    const sums = await measure(`sums of ${filter || 'all'}`, `/api/admin/payouts/figures?${filter}`)
    if (sums.ms > slowest.sums.ms) slowest.sums = sums
  }
  await stop()
  const what = `${whole(count)} payouts, the slowest of ${filters.length} filters in any order, p95`
  return [
    ...figures,
    below(what, LIST_MS, slowest.page.ms, 'ms', slowest.page.what),
    { what: 'the slowest sums above a list, p95', value: `${slowest.sums.ms.toFixed(1)} ms, ${slowest.sums.what}` },
  ]
}

const PAYMENTS = 1_000
const TOTALS = 20

export const batches: Subject = {
  name: 'batches',
  about: `a SEPA batch of ${whole(PAYMENTS)} payments of as many accounts, embedded, the whole portal in one process`,

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const dataDir = scratchFolder('batches')
    say(`writing ${whole(PAYMENTS)} approved payouts`)
    const approved = await approvedPayouts(dataDir)
    const { ask, read, stop } = await openPortal(dataDir)
    const payer = { name: 'Firm', iban: 'NL91ABNA0417164300', bic: 'ABNANL2A' }
    await ask('PATCH', '/api/admin/system/firm-account', payer)
    // A member who chooses the payments reads them once for each box that is ticked.
    const totals: number[] = []
    for (let n = 0; n <= TOTALS; n++)
      totals.push((await ask('POST', '/api/admin/payouts/totals', { payouts: approved, rate: '0.92' })).ms)
    const [first = 0, ...again] = totals
    const began = performance.now()
    const sepa = { format: 'pain.001', currency: 'EUR', rate: '0.92', payouts: approved }
    const { id } = await read(Batch, 'POST', '/api/admin/batches', sepa)
    const made = performance.now() - began
    const { ms: released } = await ask('POST', `/api/admin/batches/${id}/release`)
    const { ms: file } = await ask('GET', `/api/admin/batches/${id}/file`)
    await stop()
    const [one, two, three] = [made, released, file].map((ms) => `${ms.toFixed(0)} ms`)
    const parts = `made ${one}, released ${two}, file ${three}`
    return [
      below('a batch with its file', 2_000, made + released + file, 'ms', parts),
      p95('their totals', 100, again, `the first after a start ${first.toFixed(0)} ms`),
    ]
  },
}

function approvedPayouts(dataDir: string): Promise<readonly PayoutId[]> {
  return withDependencies({ DATA_DIR: dataDir, ADMIN_ACCESS_KEY: ADMIN_KEY }, ({ repositories, personKeys }) =>
    Promise.all(
      Array.from({ length: PAYMENTS }, async (_, n) => {
        const owner = newUserId()
        await personKeys.getOrCreate(owner)
        const accountId = accountIdOf(owner, 1)
        const id = payoutId.parse(`${accountId}-p1`)
        const context = systemContext('bench', `payout ${n}`)
        const destination = { holder: `Trader ${n}`, iban: 'DE89370400440532013000' }
        const request = { amount: toCents(100_00 + n), method: 'bank', details: '', destination } as const
        const accounts = repositories.of(accountStreams)
        await accounts.decide(accountId, context, () => [
          { type: 'AccountOpened', data: { accountId } },
          { type: 'PayoutRequested', data: { payoutId: id, ...request, idempotency: null } },
        ])
        await accounts.decide(accountId, context, (state) => approvePayout(state, id, { now: 0 }))
        return id
      }),
    ),
  )
}
