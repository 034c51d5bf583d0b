import { forEachAtOnce } from '#infra/async.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { type AccountId, accountIdOf, enrolmentIdOf, ownerOf, programmeId } from '#services/framework/ids.ts'
import { newUserId } from '#services/identity/users/server/password-link-tokens.ts'
import { assignAccount, userStreams } from '#services/identity/users/user.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { DraftedVersion, WhatIf } from '#services/programmes/programmes/programme-api.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { type Observation, observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms, RuleTerms } from '#services/rules/programme.ts'
import { ImportAnswer, StatementImport } from '#services/trading/imports/import-api.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { beginStageIn } from '#services/trading/stream/account.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'
import { processorTime } from '#test-support/processor-time.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { quantile } from '#test-support/quantile.ts'
import { managerDaily } from '#test-support/statements/manager-reports.ts'
import { statementForm, uploadForm } from '#test-support/statement-form.ts'
import { withDependencies } from '#test-support/stores.ts'
import { untilCaughtUp } from './clients.ts'
import { below, type Figure, median, p95, type Settings, type Subject, whole } from './figures.ts'
import { openPortal, scratchFolder } from './programs.ts'

/** Accounts under a programme: statements of many, a year of one, a draft over all. */

const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS'] ?? 10_000)
const PROGRAMME = 'two-step-100000'
const terms = presetTerms('two-step', 100_000)
const { hash } = hashedTerms(terms)
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** Balances that break the maximum loss, and how soon each has to be in the queue, in ms. */
const FINDINGS = 40
const BREACHING = '85000.00'

export const imports: Subject = {
  name: 'imports',
  about: `a statement with a day of each of ${whole(ACCOUNTS)} accounts; embedded, the whole portal in one process`,

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const dataDir = scratchFolder('imports')
    say(`enrolling ${whole(ACCOUNTS)} accounts`)
    const ids = await enrolAll(dataDir, ACCOUNTS, 0)
    const { url, cookie, ask, read, stop } = await openPortal(dataDir)
    const names = ['account', 'date', 'balance', 'equity', 'lowestEquity', 'highestEquity', 'trades']
    const rows = ids.map((id) => `${id},2026-03-02,100100.00,100100.00,99900.00,100200.00,3`)
    const columns = Object.fromEntries(names.map((name) => [name, name]))
    const mapping = { delimiter: ',', columns }
    const form = statementForm([names.join(','), ...rows].join('\n'), { kind: 'days', mapping })
    const began = performance.now()
    const { id, counts } = await read(ImportAnswer, 'POST', '/api/admin/imports', form)
    if (counts.recorded !== ids.length) throw new Error(`${counts.recorded} rows would be recorded`)
    const previewed = performance.now()
    await ask('POST', `/api/admin/imports/${id}/confirm`)
    let slowest = 0
    for (;;) {
      const { text, ms } = await ask('GET', `/api/admin/imports/${id}`)
      slowest = Math.max(slowest, ms)
      if (StatementImport.parse(JSON.parse(text)).state === 'done') break
      await delay(100)
    }
    const done = performance.now()
    await untilCaughtUp(url, cookie)
    const waits: number[] = []
    for (const account of ids.slice(1, 1 + FINDINGS)) {
      const typed = performance.now()
      await ask('PATCH', `/api/admin/accounts/${account}`, { balance: BREACHING })
      const found = () => read(z.array(z.unknown()), 'GET', `/api/admin/findings?account=${account}`)
      while ((await found()).length === 0) await delay(10)
      waits.push(performance.now() - typed)
    }
    say(`a login for each of ${whole(ids.length)} accounts`)
    await forEachAtOnce(ids.entries(), 32, async ([n, account]) => {
      await ask('PATCH', `/api/admin/accounts/${account}`, { login: loginOf(n), server: SERVER })
    })
    const report = await importReport({ ask, read }, ids.length)
    await stop()
    const parts = `read ${seconds(previewed - began)}, recorded ${seconds(done - previewed)}`
    const details = `${parts}, slowest other answer meanwhile ${slowest.toFixed(0)} ms`
    const middle = `of ${waits.length}, median ${median(waits).toFixed(0)} ms`
    return [
      below(`a day of ${whole(ids.length)} accounts imported`, 60, (done - began) / 1000, 's', details),
      below(
        `a manager's daily report of ${whole(ids.length)} logins imported`,
        60,
        report.ms / 1000,
        's',
        report.details,
      ),
      p95('  another answer meanwhile', 100, report.others),
      below('from a typed balance to its finding in the queue, the longest', 2_000, Math.max(...waits), 'ms', middle),
    ]
  },
}

const SERVER = 'Bench-Live'
const loginOf = (n: number) => String(7_000_000 + n)

/** Imports a report of MetaTrader's manager, and asks for something else all the while. */
async function importReport(
  { ask, read }: Pick<Awaited<ReturnType<typeof openPortal>>, 'ask' | 'read'>,
  logins: number,
) {
  const days = Array.from({ length: logins }, (_, n) => ({
    ...{ login: loginOf(n), name: `Trader ${n}`, at: '2026-03-03 23:59:59', previous: '100100.00', deposit: '0.00' },
    ...{ closed: '12.50', credit: '0.00', floating: '-3.20', margin: '0.00' },
  }))
  const form = uploadForm(managerDaily(days), { server: SERVER, zone: 'America/New_York+7' })
  const others: number[] = []
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      others.push((await ask('GET', '/api/admin/findings?limit=1')).ms)
      await delay(20)
    }
  })()
  const began = performance.now()
  const { id, counts } = await read(ImportAnswer, 'POST', '/api/admin/imports', form)
  if (counts.recorded < logins - FINDINGS) throw new Error(`${counts.recorded} rows would be recorded`)
  const previewed = performance.now()
  await ask('POST', `/api/admin/imports/${id}/confirm`, {})
  while ((await read(StatementImport, 'GET', `/api/admin/imports/${id}`)).state !== 'done') await delay(100)
  const done = performance.now()
  isOver = true
  await asking
  const details = `read ${seconds(previewed - began)}, recorded ${seconds(done - previewed)}`
  return { ms: done - began, others, details }
}

const DAYS = 90
/** Of a statement: so many days come at once. */
const WEEK = 7

export const whatIf: Subject = {
  name: 'what-if',
  about: `a draft over ${DAYS} days of ${whole(ACCOUNTS)} accounts, in weekly statements; embedded, the whole portal in one process`,

  measure: (settings) =>
    compared(settings, { name: 'what-if', rowsOf: (n, day) => [dayOf(n, day)], draft: stricter() }),
}

const TRADES = 3
/** Entries of the calendar, and how many a call may bring. */
const NEWS = 10_000
const MOST_ENTRIES = 1_000

export const whatIfOfTrades: Subject = {
  name: 'what-if-trades',
  about: `a draft with rules of all kinds over ${DAYS} days of ${whole(ACCOUNTS)} accounts with ${TRADES} trades a day, and ${whole(NEWS)} entries of the calendar; embedded, the whole portal in one process`,

  measure: (settings) =>
    compared(settings, { name: 'what-if-trades', rowsOf: tradesOfDay, draft: judgingTrades(), news: NEWS }),
}

interface Compared {
  readonly name: string
  readonly rowsOf: (account: number, day: number) => readonly Observation[]
  readonly draft: ProgrammeTerms
  /** Entries of the calendar. */
  readonly news?: number
}

/** Compares a draft over recorded days, and asks for something else all the while. */
async function compared({ say }: Settings, { name, rowsOf, draft, news = 0 }: Compared): Promise<readonly Figure[]> {
  const dataDir = scratchFolder(name)
  say(`recording ${DAYS} days of ${whole(ACCOUNTS)} accounts`)
  await enrolAll(dataDir, ACCOUNTS, 0, async (observe, n) => {
    for (let day = 0; day < DAYS; day += WEEK)
      await observe(Array.from({ length: Math.min(WEEK, DAYS - day) }, (_, k) => rowsOf(n, day + k)).flat())
  })
  const { pid, url, cookie, ask, read, stop } = await openPortal(dataDir)
  for (let n = 0; n < news; n += MOST_ENTRIES) await ask('POST', '/api/admin/calendar', { entries: entriesFrom(n) })
  const versions = `/api/admin/programmes/${PROGRAMME}/versions`
  const { version } = await read(DraftedVersion, 'POST', versions, { terms: draft })
  await untilCaughtUp(url, cookie)
  const path = `${versions}/${version}/what-if`
  const [began, processorBefore] = [performance.now(), processorTime(pid)]
  await ask('POST', path)
  const others: number[] = []
  let result: WhatIf | undefined
  while (result?.state !== 'done') {
    others.push((await ask('GET', '/healthz')).ms)
    await delay(20)
    if (others.length % 10 === 0) result = await read(WhatIf, 'GET', `${path}?limit=1`)
  }
  const [ms, processorMs] = [performance.now() - began, processorTime(pid) - processorBefore]
  await stop()
  if (result.accounts !== ACCOUNTS) throw new Error(`${result.accounts} accounts were compared`)
  const details = `${seconds(processorMs)} of a processor, ${whole(result.counts.breached)} would be breached`
  const slowest = `slowest ${Math.max(...others).toFixed(0)} ms`
  return [
    below(`${DAYS} days of ${whole(ACCOUNTS)} accounts compared`, 60, ms / 1000, 's', details),
    below('another answer meanwhile, 99 %', 50, quantile(others, 0.99), 'ms', slowest),
  ]
}

/** One entry a quarter of an hour, around the days that are compared. */
function entriesFrom(first: number) {
  return Array.from({ length: MOST_ENTRIES }, (_, k) => ({
    ...{ id: `N${first + k}`, at: new Date(Date.now() - (first + k) * 900_000).toISOString(), title: 'News' },
    ...{ currency: ['USD', 'EUR', 'GBP', 'JPY'][k % 4], impact: ['low', 'medium', 'high'][k % 3] },
  }))
}

/** The preset with a rule of every kind that judges trades, and what else its stages may have. */
function judgingTrades(): ProgrammeTerms {
  const once = { tolerated: 1_000_000, consequence: 'warning' } as const
  const rules: readonly RuleTerms[] = [
    { kind: 'holding-time', atLeast: 60, of: 'all', ...once },
    { kind: 'flat-at', at: '16:50', weekdays: [5], symbols: null, zone: 'America/New_York', ...once },
    { kind: 'news', before: 5, after: 5, judges: 'either', impacts: ['high'], ...once },
    { kind: 'volume', most: '1.50', per: 'open', symbols: null, ...once },
    { kind: 'symbols', allowed: null, forbidden: ['BTC*'], ...once },
    { kind: 'hedging', ...once },
    { kind: 'trades-per-day', most: 2, day: 'opened', tolerated: 0, consequence: 'excludes-profit', counts: '40' },
    { kind: 'short-trades', shorterThan: 60, by: 'profit', mostShare: '50', since: 'stage', effect: 'withholds' },
    { kind: 'minimum-days', days: 200, counts: { what: 'traded', day: 'closed' }, since: 'stage' },
    { kind: 'consistency', share: '40', unit: 'trade', profit: 'net', since: 'stage', effect: 'withholds' },
    { kind: 'inactivity', days: 30, consequence: 'warning' },
    { kind: 'maximum-days', days: 1_000, counts: 'calendar', consequence: 'warning' },
  ]
  return { ...terms, stages: terms.stages.map((stage) => ({ ...stage, rules: [...stage.rules, ...rules] })) }
}

/** Trades that overlap, on one symbol, some of them short. */
function tradesOfDay(account: number, day: number): Observation[] {
  const start = Date.parse(new Date(Date.now() - (DAYS - day) * 86_400_000).toISOString().slice(0, 10))
  return Array.from({ length: TRADES }, (_, n) => {
    const openedAt = start + (8 + n) * 3_600_000 + (account % 600) * 1_000
    const at = openedAt + ((account + n) % 5 === 0 ? 30_000 : 5_400_000)
    return observation.parse({
      ...{
        kind: 'trade',
        id: `T${day}-${n}`,
        openedAt: new Date(openedAt).toISOString(),
        at: new Date(at).toISOString(),
      },
      ...{ profit: n % 2 === 0 ? '12.00' : '-10.00', volume: '1.00', symbol: 'EURUSD' },
      side: (account + n) % 4 === 0 ? 'sell' : 'buy',
    })
  })
}

/** The preset with a smaller maximum loss. */
function stricter() {
  const limit = { percent: '3', of: 'account-size' as const }
  const stages = terms.stages.map((stage) => ({
    ...stage,
    rules: stage.rules.map((rule) => (rule.kind === 'maximum-loss' ? { ...rule, limit } : rule)),
  }))
  return { ...terms, stages }
}

/** A day of the last ones, between 96,500.00 and 103,500.00, that differs between accounts. */
function dayOf(account: number, day: number): Observation {
  const date = new Date(Date.now() - (DAYS - day) * 86_400_000).toISOString().slice(0, 10)
  const balance = 100_000 + Math.round(3_500 * Math.sin((account % 97) + day / 9))
  const text = (amount: number) => `${amount}.00`
  return observation.parse({
    ...{ at: `${date}T22:00:00Z`, kind: 'day', date, trades: 3, quality: 'reported' },
    ...{ balance: text(balance), equity: text(balance) },
    ...{ lowestEquity: text(balance - 200), highestEquity: text(balance + 200) },
  })
}

const TRADING_DAYS = 250
const TRADES_A_DAY = 10
const READS = 200
const FIRST_READS = 5
const OTHER_ACCOUNTS = 8
/** The goal of each read of the dashboard: p95 in ms. */
const MOST_MS = 50

/** What the dashboard and the performance of an account with a year of trades ask for. */
export const dashboard: Subject = {
  name: 'dashboard',
  about: `reads of a funded account with ${whole(TRADING_DAYS * TRADES_A_DAY)} trades in a year, one by one; embedded, the whole portal in one process`,

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const dataDir = scratchFolder('dashboard')
    say('recording a year of trades')
    const [account, ...others] = await enrolAll(dataDir, 1 + OTHER_ACCOUNTS, 2, async (observe) => {
      for (let day = 0; day < TRADING_DAYS; day++) await observe(tradesOf(day))
    })
    if (!account) throw new Error('Nobody trades')
    const standingOf = (id: AccountId) => `/api/admin/accounts/${id}/standing`
    const reads = [
      ['the standing', standingOf(account)],
      ['days, results and curve', `/api/admin/user/${ownerOf(account)}/account/history`],
      ['25 trades', `/api/admin/accounts/${account}/trades?limit=25`],
      ['the next payout', `/api/admin/accounts/${account}/payout-terms`],
    ] as const
    const figures: Figure[] = []
    // Of each other account, in the order in which they are read: the code gets faster with each.
    const ofOthers: number[][] = others.map(() => [])
    const firsts: number[][] = reads.map(() => [])
    const list = (times: readonly number[]) => `${times.map((ms) => ms.toFixed(0)).join(', ')} ms`
    for (let round = 1; round <= FIRST_READS; round++) {
      const { ask, times, stop } = await openPortal(dataDir)
      // The standing comes first, as on the page: it folds the account.
      for (const [index, [, path]] of reads.entries()) firsts[index]?.push((await ask('GET', path)).ms)
      for (const [index, other] of others.entries()) ofOthers[index]?.push((await ask('GET', standingOf(other))).ms)
      if (round === FIRST_READS)
        for (const [index, [what, path]] of reads.entries()) {
          const first = `the first after a start ${list(firsts[index] ?? [])}`
          figures.push(p95(what, MOST_MS, await times(READS, () => path), first))
        }
      await stop()
    }
    const inOrder = ofOthers.map(median)
    const details = `of those read one after another, from the second after a start: ${list(inOrder)}`
    const what = 'the standing of an account that was not read before, median'
    return [...figures, below(what, MOST_MS, median(inOrder), 'ms', details)]
  },
}

function tradesOf(day: number): Observation[] {
  return Array.from({ length: TRADES_A_DAY }, (_, n) => {
    const at = new Date(Date.UTC(2025, 2, 3 + day, 9, n)).toISOString()
    const profit = n % 2 === 0 ? '12.00' : '-10.00'
    return observation.parse({ at, kind: 'trade', id: `T${day}-${n}`, openedAt: at, volume: '1.00', profit })
  })
}

type Observe = (rows: readonly Observation[]) => Promise<unknown>

/**
 * Writes accounts of new traders in a stage, without HTTP, and returns their ids.
 *
 * @param live What happens to one of them then.
 */
function enrolAll(
  dataDir: string,
  count: number,
  stage: number,
  live: (observe: Observe, n: number) => Promise<void> = async () => {},
): Promise<AccountId[]> {
  return withDependencies({ DATA_DIR: dataDir, ADMIN_ACCESS_KEY: ADMIN_KEY }, async ({ repositories, personKeys }) => {
    const [users, accounts] = [repositories.of(userStreams), repositories.of(accountStreams)]
    const context = systemContext('bench', 'accounts')
    const enrol = async (n: number): Promise<AccountId> => {
      const owner = newUserId()
      await personKeys.getOrCreate(owner)
      const account = accountIdOf(owner, 1)
      const profile = { fullName: `Trader ${n}`, email: `trader${n}@example.com`, country: 'uk', city: '', street: '' }
      const data = { ...profile, houseNumber: '', emailClaim: `bench${n}`, token: '', tokenHash: '', expiresAt: 0 }
      await users.decide(owner, context, () => [{ type: 'UserCreated', data }])
      await users.decide(owner, context, (user) => assignAccount(user, owner, account))
      const version = { programme: programmeId.parse(PROGRAMME), version: 1, hash, stage, terms }
      const beginning = { enrolmentId: enrolmentIdOf(owner, 1), ...version }
      await accounts.decide(account, context, (state) => beginStageIn(state.account, account, beginning))
      const observe: Observe = (rows) =>
        accounts.decide(account, context, (state) => [...recordObservations(state, rows, 'feed').events])
      await live(observe, n)
      return account
    }
    const ids: AccountId[] = []
    for (let n = 0; n < count; n += 100)
      ids.push(...(await Promise.all(Array.from({ length: Math.min(100, count - n) }, (_, k) => enrol(n + k)))))
    return ids
  })
}
