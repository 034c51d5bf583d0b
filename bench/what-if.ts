import { setTimeout as delay } from 'node:timers/promises'
import { newUserId } from '#services/identity/authentication/password-link-tokens.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { beginStageIn } from '#services/trading/stream/account.ts'
import { accountIdOf, enrolmentIdOf, programmeId } from '#services/framework/ids.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { DraftedVersion, WhatIf } from '#services/programmes/programmes/programme-api.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { observation } from '#services/rules/observation.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { processorTime } from '#test-support/processor-time.ts'
import { quantile } from '#test-support/quantile.ts'
import { withDependencies } from '#test-support/stores.ts'
import { jsonHeaders, untilCaughtUp } from './clients.ts'
import { below, type Figure, type Settings, type Subject, whole } from './figures.ts'
import { scratchFolder, signInAdmin, startProgram } from './programs.ts'

const ACCOUNTS = 10_000
const DAYS = 90
/** Of a statement: so many days come at once. */
const WEEK = 7
const PROGRAMME = 'two-step-100000'
/** The goals: the what-if in seconds, and for how long it holds up other requests, in ms. */
const MOST_SECONDS = 60
const MOST_MS = 50

export const whatIf: Subject = {
  name: 'what-if',
  about: `a draft over ${DAYS} days of ${whole(ACCOUNTS)} accounts, in weekly statements; embedded, the whole portal in one process`,
  measure,
}

async function measure({ say }: Settings): Promise<readonly Figure[]> {
  const dataDir = scratchFolder('what-if')
  say(`recording ${DAYS} days of ${whole(ACCOUNTS)} accounts`)
  await recorded(dataDir)
  const { url, pid, stop } = await startProgram({ dataDir })
  const cookie = await signInAdmin(url)
  say('projecting')
  await untilCaughtUp(url, cookie)
  const headers = jsonHeaders(cookie)
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(new URL(path, url), { headers, ...init })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    const text = await answer.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  const versions = `/api/admin/programmes/${PROGRAMME}/versions`
  const { version } = DraftedVersion.parse(
    await ask(versions, { method: 'POST', body: JSON.stringify({ terms: stricter() }) }),
  )
  const path = `${versions}/${version}/what-if`
  const [began, processorBefore] = [performance.now(), processorTime(pid)]
  await ask(path, { method: 'POST' })
  const others: number[] = []
  let result: WhatIf
  for (;;) {
    const asked = performance.now()
    await ask('/healthz')
    others.push(performance.now() - asked)
    await delay(20)
    if (others.length % 10 !== 0) continue
    result = WhatIf.parse(await ask(`${path}?limit=1`))
    if (result.state === 'done') break
  }
  const [ms, processorMs] = [performance.now() - began, processorTime(pid) - processorBefore]
  await stop()
  if (result.accounts !== ACCOUNTS) throw new Error(`${result.accounts} accounts were compared`)
  return [
    below(
      `${DAYS} days of 10,000 accounts compared`,
      MOST_SECONDS,
      ms / 1000,
      's',
      `${(processorMs / 1000).toFixed(1)} s of a processor, ${whole(result.counts.breached)} would be breached`,
    ),
    below(
      'another answer meanwhile, 99 %',
      MOST_MS,
      quantile(others, 0.99),
      'ms',
      `slowest ${Math.max(...others).toFixed(0)} ms`,
    ),
  ]
}

/** The preset with a smaller maximum loss. */
function stricter() {
  const terms = presetTerms('two-step', 100_000)
  const stages = terms.stages.map((stage) => ({
    ...stage,
    rules: stage.rules.map((rule) =>
      rule.kind === 'maximum-loss' ? { ...rule, limit: { percent: '3', of: 'account-size' as const } } : rule,
    ),
  }))
  return { ...terms, stages }
}

/** Accounts under a programme, each with days of small results. */
async function recorded(dataDir: string): Promise<void> {
  await withDependencies({ DATA_DIR: dataDir, ADMIN_ACCESS_KEY: ADMIN_KEY }, async ({ repositories, personKeys }) => {
    const context = systemContext('bench', 'what-if')
    const terms = presetTerms('two-step', 100_000)
    const { hash } = hashedTerms(terms)
    const record = async (n: number) => {
      const owner = newUserId()
      await personKeys.getOrCreate(owner)
      const account = accountIdOf(owner, 1)
      const beginning = {
        ...{ enrolmentId: enrolmentIdOf(owner, 1), programme: programmeId.parse(PROGRAMME), version: 1 },
        ...{ hash, stage: 0, terms },
      }
      const stream = repositories.of(accountStreams)
      await stream.decide(account, context, ({ account: one }) => beginStageIn(one, account, beginning))
      for (let day = 0; day < DAYS; day += WEEK) {
        const rows = Array.from({ length: Math.min(WEEK, DAYS - day) }, (_, k) => dayOf(n, day + k))
        await stream.decide(account, context, (state) => [...recordObservations(state, rows, 'import').events])
      }
    }
    for (let n = 0; n < ACCOUNTS; n += 100) await Promise.all(Array.from({ length: 100 }, (_, k) => record(n + k)))
  })
}

/** A day of the last ones, between 96,500.00 and 103,500.00, that differs between accounts. */
function dayOf(account: number, day: number) {
  const date = new Date(Date.now() - (DAYS - day) * 86_400_000)
  const balance = 100_000 + Math.round(3_500 * Math.sin((account % 97) + day / 9))
  const text = (amount: number) => `${amount}.00`
  return observation.parse({
    ...{ at: `${date.toISOString().slice(0, 10)}T22:00:00Z`, kind: 'day', date: date.toISOString().slice(0, 10) },
    ...{ balance: text(balance), equity: text(balance), trades: 3, quality: 'reported' },
    ...{ lowestEquity: text(balance - 200), highestEquity: text(balance + 200) },
  })
}
