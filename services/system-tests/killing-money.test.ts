import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AnswerRow, Batch, BatchDetails, ListedBatch } from '#services/payments/batches/batch-api.ts'
import { LedgerEntry } from '#services/trading/accounts/ledger-api.ts'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { type Child, startChild } from '#test-support/child-process.ts'
import { read } from '#test-support/http-calls.ts'
import { type Browser, browser } from '#test-support/http-client.ts'
import { newEmail, openPortal, type Portal, registration, type Trader } from '#test-support/portal.ts'
import { ADMIN_KEY, afterSuite, temporaryFolder } from '#test-support/program.ts'
import { sampled } from '#test-support/random-seed.ts'
import { storedEvents, withStores } from '#test-support/stores.ts'
import { sampleTerms } from '#test-support/terms.ts'
import { until } from '#test-support/until.ts'

/**
 * Two payouts from the request to the bank's answer: request, approval with its deduction, batch, release, answer. The
 * program is killed before the first of their appends and after each, before anybody is told. Then it begins again, and
 * the call that got no answer is repeated.
 */

const child = fileURLToPath(new URL('../../test-support/chaos/killed-at-append.child.ts', import.meta.url))
const onEnd = afterSuite()
let dataDir = ''
/** What is appended for both, in this order. */
const APPENDS = [
  ...['PayoutRequested', 'PayoutRequested', 'PayoutApproved', 'PayoutApproved'],
  ...['BatchMade', 'PaymentBatched', 'PaymentBatched'],
  ...['BatchReleaseBegun', 'PaymentSent', 'PaymentSent', 'BatchReleased'],
  ...['PaymentPaid', 'PaymentPaid'],
]

beforeAll(() => {
  dataDir = temporaryFolder(onEnd)
})

/** Starts the program, which dies once it has appended so often. */
async function startDying(appends: number): Promise<{ readonly url: string; readonly process: Child }> {
  const variables = {
    ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'] },
    ...{ DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', ADMIN_ACCESS_KEY: ADMIN_KEY, LOG_LEVEL: 'silent' },
    ...{ REGISTRATIONS_PER_HOUR: '0', KILLED_AFTER: String(appends) },
  }
  const started = startChild([process.execPath, '--import', 'tsx', child], variables, onEnd)
  return { url: await started.says(/ready at (\S+)/), process: started }
}

/** The payouts, and what was answered about them before the program died. */
interface Work {
  readonly admin: Browser
  readonly traders: readonly [Trader, Trader]
  readonly payouts: string[]
  batch: string | undefined
}

/** A call that has to be made until it is answered; again says that the first one got no answer. */
type Call = (work: Work, again: boolean, portal?: Portal) => Promise<void>

const request =
  (n: 0 | 1): Call =>
  async ({ traders, payouts }) => {
    const body = { amount: '2500.00', paymentMethod: 'skrill', paymentDetails: 'ada@example.com' }
    const answer = await traders[n].post('/api/user/payouts', body, { headers: { 'Idempotency-Key': 'the payout' } })
    expect(answer.status).toBe(201)
    payouts[n] = read(Payout, answer).id
  }

const approve =
  (n: 0 | 1): Call =>
  async ({ admin, payouts }, again) => {
    const answer = await admin.patch(`/api/admin/payouts/${payouts[n]}`, { status: 'approved' })
    if (again && answer.status === 409)
      expect(answer.body).toMatchObject({ message: 'This payout is already approved' })
    else expect(answer.status).toBe(200)
  }

const make: Call = async (work, again, portal) => {
  const { admin, payouts } = work
  if (again && portal) {
    // Staff look first whether it is there: the program has filled it by itself.
    const made = read(z.array(ListedBatch), await admin.get('/api/admin/batches', await portal.atEnd())).filter(
      ({ state }) => state === 'open',
    )
    for (const { id } of made) await until(() => isFull(admin, portal, id), 'the batch to be filled')
    const [found] = made
    if (found) {
      work.batch = found.id
      const refused = await admin.post('/api/admin/batches', { format: 'csv', currency: 'USD', payouts })
      expect([refused.status, made.length]).toEqual([409, 1])
      expect(refused.body).toMatchObject({ problems: payouts.map((payoutId) => ({ payoutId })) })
      return
    }
  }
  const answer = await admin.post('/api/admin/batches', { format: 'csv', currency: 'USD', payouts })
  expect(answer.status, answer.text).toBe(201)
  work.batch = read(Batch, answer).id
}

async function isFull(admin: Browser, portal: Portal, id: string): Promise<true | undefined> {
  const { items } = read(BatchDetails, await admin.get(`/api/admin/batches/${id}`, await portal.atEnd()))
  return items.every(({ payment }) => payment === 'in-batch') || undefined
}

const release: Call = async ({ admin, batch }, again) => {
  const answer = await admin.post(`/api/admin/batches/${batch}/release`)
  if (again && answer.status === 409) expect(answer.body).toMatchObject({ message: 'This batch was released already' })
  else expect([answer.status, answer.body]).toMatchObject([200, { state: 'released', count: 2 }])
}

const answers: Call = async ({ admin, payouts }, again) => {
  const rows = payouts.map((id) => `${id}-1,2000.00,USD,paid,`)
  const form = new FormData()
  form.append('format', 'csv')
  form.append('answerFile', new Blob([['reference,amount,currency,state,reason', ...rows, ''].join('\n')]), 'a.csv')
  const outcomes = read(z.array(AnswerRow), await admin.send('POST', '/api/admin/payments/answers', form))
  for (const { outcome } of outcomes) expect(again ? ['recorded', 'duplicate'] : ['recorded']).toContain(outcome)
}

/** Two traders with $104,000.00 under terms that pay them 80 percent. */
async function begin(url: string): Promise<Work> {
  const admin = browser(url)
  await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
  const enter = async (): Promise<Trader> => {
    const person = { ...registration, email: newEmail() }
    const trader = browser(url)
    const { id } = read(z.object({ id: z.string() }), await trader.post('/api/register', person))
    const account = { payoutEnabled: true, balance: '104000.00', terms: sampleTerms() }
    expect((await admin.patch(`/api/admin/accounts/${id}-a1`, account)).status).toBe(200)
    return { ...trader, id, email: person.email, password: person.password }
  }
  return { admin, traders: [await enter(), await enter()], payouts: [], batch: undefined }
}

/** The same people with their sessions, once the program has begun again. */
function goOn({ admin, traders: [one, two], ...work }: Work, portal: Portal): Work {
  const again = <Who extends Browser>(who: Who): Who => {
    const next = portal.browser()
    for (const [name, value] of who.cookies) next.cookies.set(name, value)
    return { ...who, ...next }
  }
  return { ...work, admin: again(admin), traders: [again(one), again(two)] }
}

async function expectPaidOnce({ admin, traders, payouts, batch }: Work, portal: Portal): Promise<void> {
  await portal.mailed()
  const end = await portal.atEnd()
  for (const [n, trader] of traders.entries()) {
    const account = `${trader.id}-a1`
    const types = (await portal.events(`account-${account}`)).map(({ type }) => type)
    expect(types.filter((type) => /^(Payout[A-Z]|Payment)/.test(type))).toEqual([
      ...['PayoutRequested', 'PayoutApproved', 'PayoutDeducted'],
      ...['PaymentBatched', 'PaymentSent', 'PaymentPaid'],
    ])
    const ledger = read(LedgerEntry.array(), await trader.get(`/api/user/ledger?account=${account}`, end))
    expect(ledger.map(({ kind, amount, balance }) => [kind, amount, balance])).toEqual([
      ['deposit', '104000.00', '104000.00'],
      ['payout', '-2500.00', '101500.00'],
    ])
    const [payout] = read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?userId=${trader.id}`, end))
    expect(payout).toMatchObject({
      ...{ id: payouts[n], status: 'approved', deducted: true, traderReceives: '2000.00', firmKeeps: '500.00' },
      payment: { state: 'paid', reference: `${payouts[n]}-1`, batch },
    })
    const subjects = (await portal.mails(trader.email)).map(({ subject }) => subject)
    expect(subjects.toSorted()).toEqual([...new Set(subjects)].toSorted())
    expect(subjects.join()).toContain('was sent')
  }
  const details = read(BatchDetails, await admin.get(`/api/admin/batches/${batch}`, end))
  expect(details).toMatchObject({ state: 'released', count: 2, total: '4000.00', removed: [] })
  const file = await admin.get(`/api/admin/batches/${batch}/file`, end)
  expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(details.file?.sha256)
  for (const id of payouts) expect(file.text.split(`${id}-1`)).toHaveLength(2)
}

const calls: readonly Call[] = [request(0), request(1), approve(0), approve(1), make, release, answers]

describe('a payout from its request to the answer of the bank', () => {
  /** How many appends the log has of it at the kill; what the last of them did was not answered. */
  const kills = APPENDS.map((type, index) => ({ type, count: index + 1 }))
  /** The first of each kind; before any, or after the second, by seed. */
  const first = kills.filter(({ type, count }) => APPENDS.indexOf(type) === count - 1)
  const others = [{ type: 'nothing', count: 0 }, ...kills.filter((kill) => !first.includes(kill))]

  it.each([...first, ...sampled(others, 1)])(
    'is paid once when the program is killed after $type ($count appends)',
    async ({ count }) => {
      const dying = await startDying(count)
      const work = await begin(dying.url)
      let next = 0
      let isCut = false
      for (; next < calls.length && !isCut; next++)
        try {
          await calls[next]?.(work, false)
        } catch (error) {
          // `fetch failed`: the program is gone.
          if (!(error instanceof TypeError)) throw error
          isCut = true
          next -= 1
        }
      expect(isCut).toBe(true)
      await dying.process.finished
      const stored = await withStores(dataDir, storedEvents)
      const own = stored.filter(({ type }) => APPENDS.includes(type))
      const began = own.findIndex(({ stream }) => work.traders.some(({ id }) => stream.includes(id)))
      const made = began === -1 ? [] : own.slice(began).map(({ type }) => type)
      // The next one may have been under way to another stream.
      expect(made).toEqual(APPENDS.slice(0, Math.max(count, made.length)))
      expect(made.length - count).toBeLessThanOrEqual(1)
      const portal = await openPortal({ dataDir })
      try {
        const later = goOn(work, portal)
        for (const [index, call] of calls.slice(next).entries()) await call(later, index === 0, portal)
        await expectPaidOnce(later, portal)
      } finally {
        await portal.stop()
      }
    },
  )
})
