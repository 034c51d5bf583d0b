import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { newUserId } from '#services/authentication/password-link-tokens.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accounts } from '#services/modules/account-aggregate.ts'
import { beginStageIn } from '#services/modules/accounts/account.ts'
import { accountIdOf, enrolmentIdOf, programmeId } from '#services/modules/ids.ts'
import { ImportAnswer, STATEMENT_FIELD, StatementImport } from '#services/modules/imports/import-api.ts'
import { recordObservations } from '#services/modules/observations/observation.ts'
import { presetTerms } from '#services/modules/programmes/presets.ts'
import { hashedTerms } from '#services/modules/programmes/server/terms-hash.ts'
import { assignAccount, users } from '#services/modules/users/user.ts'
import { observation } from '#services/rules/observation.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { withDependencies } from '#test-support/stores.ts'
import { jsonHeaders, untilCaughtUp } from './clients.ts'
import { below, type Figure, type Settings, type Subject, whole } from './figures.ts'
import { scratchFolder, signInAdmin, startProgram } from './programs.ts'

const ACCOUNTS = 10_000
/** Of one account: ten a day. */
const YEAR = 2_500
/** The goals: a day of all accounts in seconds, a standing in ms. */
const MOST_SECONDS = 60
const MOST_MS = 50
const STANDINGS = 50
/** Balances that break the maximum loss, and how soon each has to be in the queue, in ms. */
const FINDINGS = 40
const BREACHING = '85000.00'
const MOST_UNTIL_FOUND = 2_000

export const imports: Subject = {
  name: 'imports',
  about: `a statement with a day of each of ${whole(ACCOUNTS)} accounts, and the standing of an account with ${whole(YEAR)} trades; embedded, the whole portal in one process`,
  measure,
}

async function measure({ say }: Settings): Promise<readonly Figure[]> {
  const dataDir = scratchFolder('imports')
  say(`enrolling ${whole(ACCOUNTS)} accounts`)
  const { ids, traded } = await enrolled(dataDir)
  const { url, stop } = await startProgram({ dataDir })
  const cookie = await signInAdmin(url)
  await untilCaughtUp(url, cookie)
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(new URL(path, url), init)
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const headers = jsonHeaders(cookie)

  const columns = Object.fromEntries(
    ['account', 'date', 'balance', 'equity', 'lowestEquity', 'highestEquity', 'trades'].map((name) => [name, name]),
  )
  const rows = ids.map((id) => `${id},2026-03-02,100100.00,100100.00,99900.00,100200.00,3`)
  const form = new FormData()
  form.append('kind', 'days')
  form.append('mapping', JSON.stringify({ delimiter: ',', columns }))
  const text = [Object.keys(columns).join(','), ...rows].join('\n')
  form.append(STATEMENT_FIELD, new Blob([text], { type: 'text/csv' }), 'statement.csv')
  const { cookie: session } = headers
  const began = performance.now()
  const { id, counts } = ImportAnswer.parse(
    await ask('/api/admin/imports', { method: 'POST', headers: { cookie: session ?? '' }, body: form }),
  )
  if (counts.recorded !== ACCOUNTS) throw new Error(`${counts.recorded} rows would be recorded`)
  const read = performance.now()
  await ask(`/api/admin/imports/${id}/confirm`, { method: 'POST', headers })
  let slowest = 0
  for (;;) {
    const asked = performance.now()
    const found = StatementImport.parse(await ask(`/api/admin/imports/${id}`, { headers }))
    slowest = Math.max(slowest, performance.now() - asked)
    if (found.state === 'done') break
    await delay(100)
  }
  const done = performance.now()
  await untilCaughtUp(url, cookie)

  const times: number[] = []
  for (let n = 0; n < STANDINGS; n++) {
    const asked = performance.now()
    await ask(`/api/admin/accounts/${traded}/standing`, { headers })
    times.push(performance.now() - asked)
  }

  const waits: number[] = []
  for (const account of ids.slice(1, 1 + FINDINGS)) {
    const body = JSON.stringify({ balance: BREACHING })
    const asked = performance.now()
    await ask(`/api/admin/accounts/${account}`, { method: 'PATCH', headers, body })
    for (;;) {
      const found = z.array(z.unknown()).parse(await ask(`/api/admin/findings?account=${account}`, { headers }))
      if (found.length > 0) break
      await delay(10)
    }
    waits.push(performance.now() - asked)
  }
  await stop()
  const [first = 0] = times
  const ordered = times.toSorted((one, other) => one - other)
  const p95 = ordered[Math.floor(STANDINGS * 0.95)] ?? 0
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  return [
    below(
      'a day of 10,000 accounts imported',
      MOST_SECONDS,
      (done - began) / 1000,
      's',
      `read ${seconds(read - began)}, recorded ${seconds(done - read)}, slowest other answer meanwhile ${slowest.toFixed(0)} ms`,
    ),
    below(
      'a standing with a year of trades, 95 %',
      MOST_MS,
      p95,
      'ms',
      `the first after a start ${first.toFixed(0)} ms`,
    ),
    below(
      'from a typed balance to its finding in the queue, the longest',
      MOST_UNTIL_FOUND,
      Math.max(...waits),
      'ms',
      `of ${FINDINGS}, median ${(waits.toSorted((one, other) => one - other)[FINDINGS / 2] ?? 0).toFixed(0)} ms`,
    ),
  ]
}

/** Accounts under a programme; one has a year of trades. */
async function enrolled(dataDir: string) {
  return withDependencies({ DATA_DIR: dataDir, ADMIN_ACCESS_KEY: ADMIN_KEY }, async ({ repositories, personKeys }) => {
    const context = systemContext('bench', 'imports')
    const terms = presetTerms('two-step', 100_000)
    const { hash } = hashedTerms(terms)
    const ids: string[] = []
    const enrol = async (n: number) => {
      const owner = newUserId()
      await personKeys.getOrCreate(owner)
      const account = accountIdOf(owner, 1)
      const profile = {
        ...{ fullName: `Trader ${n}`, email: `trader${n}@example.com`, country: 'uk', city: '', street: '' },
        houseNumber: '',
      }
      await repositories.of(users).decide(owner, context, () => [
        {
          type: 'UserCreated',
          data: { ...profile, emailClaim: `bench${n}`, token: '', tokenHash: '', expiresAt: 0 },
        },
      ])
      await repositories.of(users).decide(owner, context, (user) => assignAccount(user, owner, account))
      const beginning = {
        ...{ enrolmentId: enrolmentIdOf(owner, 1), programme: programmeId.parse('two-step-100000'), version: 1 },
        ...{ hash, stage: 0, terms },
      }
      await repositories
        .of(accounts)
        .decide(account, context, ({ account: one }) => beginStageIn(one, account, beginning))
      ids.push(account)
      return account
    }
    const traded = await enrol(ACCOUNTS)
    for (let day = 0; day < YEAR / 10; day++) {
      const rows = Array.from({ length: 10 }, (_, n) => {
        const at = new Date(Date.UTC(2025, 2, 3 + day, 9, n)).toISOString()
        const trade = { at, kind: 'trade', id: `T${day}-${n}`, openedAt: at, volume: '1.00' }
        return observation.parse({ ...trade, profit: n % 2 === 0 ? '12.00' : '-10.00' })
      })
      await repositories
        .of(accounts)
        .decide(traded, context, (state) => [...recordObservations(state, rows, 'feed').events])
    }
    for (let n = 0; n < ACCOUNTS - 1; n += 100)
      await Promise.all(Array.from({ length: Math.min(100, ACCOUNTS - 1 - n) }, (_, k) => enrol(n + k)))
    return { ids, traded }
  })
}
