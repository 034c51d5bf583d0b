import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { RuleTerms } from '#services/rules/programme.ts'
import { DEMO_PASSWORD } from '../demo/demo-firm.ts'
import { type Child, startChild } from './child-process.ts'
import { after, read } from './http-calls.ts'
import { type Answer, type Browser, withJson } from './http-client.ts'
import { answersTo, type RecordedAnswers, releasedData } from './released-data.ts'
import { maximumLoss, sampleTerms } from './terms.ts'
import { until } from './until.ts'

/**
 * Records a log of decisions that later versions take otherwise, with the code of the release that took them: `npx tsx
 * test-support/record-decided-data.ts NAME CHECKOUT`, where CHECKOUT is a checkout of the release with its packages. It
 * is driven through its calls alone, on some days of November 2026.
 */

const [name = '', checkout = ''] = process.argv.slice(2)
const ENVIRONMENT_KEY = 'a-key-for-this-log-only'
const EMAIL = 'ada@example.com'

const id = z.object({ id: z.string() })
const finding = z.object({ id: z.string(), account: z.string(), state: z.string() })

const folder = mkdtempSync(join(tmpdir(), 'proofdesk-decided-'))
const dataDir = join(folder, 'data')
const clock = join(folder, 'clock.mjs')
mkdirSync(dataDir)
writeFileSync(
  clock,
  `const Real = Date, offset = Real.parse(process.env.CLOCK) - Real.now()
globalThis.Date = class extends Real {
  constructor(...values) { if (values.length > 0) super(...values); else super(Real.now() + offset) }
  static now() { return Real.now() + offset }
}`,
)

async function ok(what: Promise<Answer>): Promise<Answer> {
  const answer = await what
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`)
  return answer
}

/** A client of the release: its answers need not conform to the API of today, nor its cookies to the clock. */
function browser(url: string, headers: Readonly<Record<string, string>> = {}): Browser {
  const cookies = new Map<string, string>()
  return withJson(cookies, async (method, path, body, options) => {
    const cookie = [...cookies].map((each) => each.join('=')).join('; ')
    const init = { method, headers: { ...(cookie && { cookie }), ...headers, ...options?.headers } }
    const response = await fetch(new URL(path, url), body === undefined ? init : { ...init, body })
    for (const each of response.headers.getSetCookie()) {
      const [own = '', value = ''] = (each.split(';')[0] ?? '').split('=')
      cookies.set(own, value)
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const { status } = response
    const parsed: unknown = isJson ? JSON.parse(text) : undefined
    return { status, headers: response.headers, text, bytes: Buffer.from(text), body: parsed }
  })
}

/** Runs the release at an instant, with a member of staff, and stops it. */
async function at(now: string, work: (url: string, staff: Browser) => Promise<void>, accessKey = ENVIRONMENT_KEY) {
  const { PATH, HOME } = process.env
  const settings = { DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', SEAL_SECONDS: '1', CLOCK: now }
  const program: Child = startChild(
    ['bash', '-c', `cd ${checkout} && exec node --import tsx --import ${clock} services/cli.ts start`],
    { PATH, HOME, ...settings, ADMIN_ACCESS_KEY: ENVIRONMENT_KEY, TRADER_CHANGES_PER_HOUR: '0' },
  )
  try {
    const url = await program.says(/is ready at (http\S+)/)
    const staff = browser(url)
    await ok(staff.post('/api/admin/login', { accessKey }))
    await work(url, staff)
  } finally {
    await program.end('SIGTERM')
  }
}

const target = (amount: string): RuleTerms => ({
  ...{ kind: 'profit-target', target: { amount }, measures: 'balance', whileOpen: false },
})
const opened: RuleTerms = {
  ...{ kind: 'minimum-days', days: 3, counts: { what: 'traded', day: 'opened' }, since: 'stage' },
}
/** A floor of a fraction of a cent: $11,386.411441. */
const fractional = { limit: { percent: '7.77', of: 'account-size' } } as const
const share: RuleTerms = {
  ...{ kind: 'consistency', share: '50', unit: 'day', profit: 'profitable-days', since: 'stage' },
  effect: 'withholds',
}

/** An evaluation before the funded stage. */
function evaluation(title: string, accountSize: string, rules: RuleTerms[], breaches: 'proposed' | 'automatically') {
  const { stages, ...terms } = sampleTerms()
  const first = { name: 'Phase 1', funded: false as const, rules }
  return { ...terms, name: title, accountSize, breaches, stages: [first, ...stages] }
}

const lastDay: RuleTerms[] = [
  { kind: 'maximum-days', days: 1, counts: 'calendar', consequence: 'breach' },
  share,
  {
    kind: 'minimum-days',
    days: 9,
    counts: { what: 'profit', atLeast: { amount: '10.00' }, of: 'closed' },
    since: 'stage',
  },
]
const inactive: RuleTerms = { kind: 'inactivity', days: 30, consequence: 'breach' }

/** A programme for each case; the trader's account of it has its number, from 1. */
const programmes = [
  evaluation('Floors, at them', '12345.67', [maximumLoss(fractional), target('9000.00')], 'proposed'),
  evaluation(
    'Floors, below them',
    '12345.67',
    [maximumLoss({ ...fractional, touch: 'allowed' }), target('9000.00')],
    'automatically',
  ),
  evaluation('Opened days', '100000.00', [opened, target('100.00')], 'proposed'),
  evaluation('Opened days, later', '100000.00', [opened, target('100.00')], 'proposed'),
  evaluation('Last day', '100000.00', lastDay, 'automatically'),
  evaluation('Last day, by staff', '100000.00', lastDay, 'proposed'),
  evaluation('Closed while it waits', '100000.00', [target('100.00')], 'proposed'),
  evaluation('Closed, then confirmed', '100000.00', [target('100.00')], 'proposed'),
  evaluation('Older rows', '100000.00', [inactive, target('9000.00')], 'automatically'),
  evaluation('Older loss', '100000.00', [maximumLoss(), target('9000.00')], 'automatically'),
  sampleTerms({}, [maximumLoss({ limit: { percent: '7.77', of: 'account-size' } })]),
  {
    ...sampleTerms({ buffer: { percent: '0.33', of: 'account-size' }, split: '77.7' }, [
      maximumLoss({ ...fractional, follows: { value: 'balance', at: 'every-change' }, touch: 'allowed' }),
      { ...share, effect: 'excludes-excess' },
    ]),
    ...{ name: 'Fractions', accountSize: '12345.67' },
  },
  evaluation('Dismissed', '100000.00', [maximumLoss(), target('9000.00')], 'proposed'),
  evaluation('Corrected', '100000.00', [maximumLoss(), target('9000.00')], 'proposed'),
]

let user = ''
let [memberKey, feedKey] = ['', '']
const account = (n: number) => `${user}-a${n}`
const trade = (on: string, openedAt: string, profit: string) => ({
  ...{ kind: 'trade', id: `T-${on}-${openedAt}`, at: on, openedAt, profit, volume: '1.00' },
})
const state = (on: string, equity: string) => ({ kind: 'state', at: on, balance: equity, equity, open: false })

/** Sends observations of an account. */
async function observe(url: string, n: number, ...rows: object[]): Promise<void> {
  const bridge = browser(url, { authorization: `Bearer ${feedKey}` })
  await ok(bridge.post('/api/feed/observations', { rows: rows.map((row) => ({ account: account(n), ...row })) }))
}

/** Waits for the findings on an account in a state, and returns the last. */
function found(staff: Browser, n: number, wanted: string): Promise<string> {
  return until(async () => {
    const all = read(z.array(finding), await staff.get('/api/admin/findings?limit=1000'))
    return all.findLast((each) => each.account === account(n) && each.state === wanted)?.id
  }, `a finding ${wanted} on account ${n}`)
}

const confirmed = (staff: Browser, one: string) => ok(staff.post(`/api/admin/findings/${one}/confirm`))

await at('2026-11-01T08:00:00Z', async (url, staff) => {
  const member = { name: 'Dana', role: 'admin', expiresAt: null }
  const issued = read(z.object({ accessKey: z.string() }), await ok(staff.post('/api/admin/staff', member)))
  memberKey = issued.accessKey
  const expiresAt = '2026-12-31T00:00:00Z'
  const feed = { name: 'Bridge', scopes: ['feed'], expiresAt }
  feedKey = read(z.object({ key: z.string() }), await ok(staff.post('/api/admin/keys', feed))).key
  const trader = browser(url)
  const person = { fullName: 'Ada Lovelace', email: EMAIL, password: DEMO_PASSWORD, privacyPolicyAgreed: true }
  const address = { country: 'uk', city: 'London', street: 'St James Square', houseNumber: '12' }
  await ok(trader.post('/api/register', { ...person, ...address }))
  await ok(trader.post('/api/login', { email: EMAIL, password: DEMO_PASSWORD }))
  user = read(id, await trader.get('/api/user')).id
  for (const terms of programmes) {
    const drafted = await ok(staff.post('/api/admin/programmes', { terms }))
    const draft = read(z.object({ id: z.string(), hash: z.string() }), drafted)
    const version = `/api/admin/programmes/${draft.id}/versions/1`
    await ok(staff.post(`${version}/what-if`))
    await until(async () => (await staff.get(`${version}/what-if`, after(drafted))).status === 200, 'the what-if')
    await ok(staff.post(`${version}/publish`, { hash: draft.hash }))
    await ok(staff.post(`/api/admin/user/${user}/enrolments`, { programme: draft.id }))
  }
  for (const n of programmes.keys())
    await ok(staff.patch(`/api/admin/accounts/${account(n + 1)}`, { login: String(7000 + n), server: 'Broker-MT5' }))
  for (const n of [11, 12]) await ok(staff.patch(`/api/admin/accounts/${account(n)}`, { payoutEnabled: true }))
})

await at('2026-11-02T18:00:00Z', async (url, staff) => {
  // Just above and at a floor that is no whole cent.
  await observe(url, 1, state('2026-11-02T09:00:00Z', '12345.67'), state('2026-11-02T10:00:00Z', '11386.42'))
  await observe(url, 2, state('2026-11-02T09:00:00Z', '12345.67'), state('2026-11-02T10:00:00Z', '11386.42'))
  for (const n of [5, 6]) await observe(url, n, trade('2026-11-02T11:00:00Z', '2026-11-02T10:00:00Z', '100.00'))
  for (const n of [7, 8]) await observe(url, n, trade('2026-11-02T11:00:00Z', '2026-11-02T10:00:00Z', '150.00'))
  await observe(url, 9, trade('2026-09-01T11:00:00Z', '2026-09-01T10:00:00Z', '10.00'))
  await observe(url, 10, state('2026-10-01T11:00:00Z', '89000.00'))
  for (const n of [11, 12]) await observe(url, n, trade('2026-11-02T11:00:00Z', '2026-11-02T10:00:00Z', '4000.00'))
  for (const n of [13, 14]) await observe(url, n, state('2026-11-02T10:00:00Z', '89999.99'))
  for (const n of [9, 10]) await found(staff, n, 'confirmed')
  await found(staff, 7, 'proposed')
  await ok(staff.post(`/api/admin/accounts/${account(7)}/close`, { reason: 'Bought by mistake' }))
  const waits = await found(staff, 8, 'proposed')
  await ok(staff.post(`/api/admin/accounts/${account(8)}/close`, { reason: 'Bought by mistake' }))
  await confirmed(staff, waits)
  const dismissed = await found(staff, 13, 'proposed')
  await ok(staff.post(`/api/admin/findings/${dismissed}/dismiss`, { reason: 'A wrong price' }))
  await confirmed(staff, await found(staff, 14, 'proposed'))
  const [observed] = read(z.array(id), await staff.get(`/api/admin/accounts/${account(14)}/observations`))
  const observation = state('2026-11-02T10:00:00Z', '99000.00')
  const correction = { observation, reason: 'The server had a wrong price' }
  await ok(staff.post(`/api/admin/accounts/${account(14)}/observations/${observed?.id}/correction`, correction))
  await ok(staff.post(`/api/admin/findings/${await found(staff, 14, 'reopened')}/dismiss`, { reason: 'A wrong price' }))
})

await at(
  '2026-11-03T18:00:00Z',
  async (url, staff) => {
    await observe(url, 1, state('2026-11-03T10:00:00Z', '11386.41'))
    await observe(url, 2, state('2026-11-03T10:00:00Z', '11386.41'))
    // Three trades of three days are closed on the third: the first that is known of the stage.
    for (const n of [3, 4])
      for (const day of [1, 2, 3])
        await observe(url, n, trade(`2026-11-03T1${day}:00:00Z`, `2026-11-0${day}T10:00:00Z`, '100.00'))
    await found(staff, 2, 'confirmed')
    await confirmed(staff, await found(staff, 1, 'proposed'))
    await found(staff, 5, 'confirmed')
    await confirmed(staff, await found(staff, 6, 'proposed'))
    await observe(url, 13, state('2026-11-03T10:00:00Z', '89000.00'))
    const trader = browser(url)
    await ok(trader.post('/api/login', { email: EMAIL, password: DEMO_PASSWORD }))
    const ask = async (n: number, amount: string) => {
      const request = { amount, paymentMethod: 'paypal', paymentDetails: 'ada@example.com' }
      return read(id, await ok(trader.post(`/api/user/payouts?account=${account(n)}`, request))).id
    }
    const paid = await ask(11, '1000.00')
    const verdict = { status: 'approved', adminNotes: '', deduct: true }
    await ok(staff.patch(`/api/admin/payouts/${paid}`, verdict))
    await ok(staff.patch(`/api/admin/payouts/${paid}/payment`, { state: 'paid', reference: 'By hand 1' }))
    const undone = await ask(11, '500.00')
    await ok(staff.patch(`/api/admin/payouts/${undone}`, verdict))
    await ok(staff.patch(`/api/admin/payouts/${undone}`, { status: 'rejected', adminNotes: 'Asked twice' }))
    const standing = z.object({ payout: z.object({ available: z.string() }) })
    const { payout } = read(standing, await staff.get(`/api/admin/accounts/${account(12)}/standing`))
    await ok(staff.patch(`/api/admin/payouts/${await ask(12, payout.available)}`, verdict))
  },
  memberKey,
)

let exported = ''
let answers: RecordedAnswers = { staff: {}, traders: {} }
await at(
  '2026-11-06T18:00:00Z',
  async (url, staff) => {
    // Only now has the release counted three days.
    for (const day of [4, 5])
      await observe(url, 4, trade(`2026-11-0${day}T12:00:00Z`, `2026-11-0${day}T10:00:00Z`, '1.00'))
    await confirmed(staff, await found(staff, 4, 'proposed'))
    const trader = browser(url)
    await ok(trader.post('/api/login', { email: EMAIL, password: DEMO_PASSWORD }))
    exported = await until(async () => {
      const { text } = await ok(staff.get(`/api/audit/accounts/${user}/export`))
      const file = join(folder, 'export.json')
      writeFileSync(file, text)
      const { PATH, HOME } = process.env
      const command = `cd ${checkout} && exec node --import tsx services/cli.ts verify ${file}`
      const { code, stdout } = await startChild(['bash', '-c', command], { PATH, HOME }).finished
      return code === 0 && !stdout.includes('not sealed') ? text : undefined
    }, 'an export that is proven')
    answers = {
      accessKey: memberKey,
      staff: await answersTo(staff, ['/api/admin/findings?limit=1000', '/api/admin/payouts?limit=1000']),
      traders: { [EMAIL]: await answersTo(trader, ['/api/user/accounts', '/api/user/payouts', '/api/user/ledger']) },
    }
  },
  memberKey,
)
mkdirSync(join(import.meta.dirname, 'fixtures', name), { recursive: true })
releasedData(name).keep(dataDir, exported, answers)
rmSync(folder, { recursive: true, force: true })
