import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { toPosition } from '#infra/event-store/event-store.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { freePort } from '#test-support/servers/ports.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import type { Service } from '#services/cli/server.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { loadProjectionState } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { proofProblemKinds } from '#services/framework/api/proof-schemas.ts'
import { allProjections } from '#services/portal/modules.ts'

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

async function openMeasured(
  services?: readonly Service[],
  dataDir?: string,
): Promise<{ portal: Portal; scrape: () => Promise<Sample[]>; port: number }> {
  const port = await freePort()
  const portal = await openPortal({
    environment: { METRICS_PORT: String(port) },
    ...(services && { services }),
    ...(dataDir !== undefined && { dataDir }),
  })
  onTestFinished(() => portal.stop())
  const scrape = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(response.status).toBe(200)
    return samplesOf(await response.text())
  }
  return { portal, scrape, port }
}

/** The samples as Prometheus reads them. */
function samplesOf(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined) return []
    return [
      {
        name,
        labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text])),
        value: Number(value),
      },
    ]
  })
}

const valueOf = (samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}) =>
  samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  )?.value

it('reports requests, appends, mails, lag and the event loop', async () => {
  const { portal, scrape, port } = await openMeasured()
  const trader = await portal.trader()
  expect((await trader.get('/api/user')).status).toBe(200)
  expect((await portal.browser().get('/api/user')).status).toBe(401)
  expect((await portal.browser().get(`/api/nothing/${trader.id}`)).status).toBe(404)
  expect((await portal.browser().post('/api/forgot-password', { email: trader.email })).status).toBe(200)
  await portal.mailed()
  const samples = await until(async () => {
    const found = await scrape()
    return (
      allProjections.every(({ name }) => valueOf(found, 'proofdesk_projection_lag_events', { view: name }) === 0) &&
      found
    )
  }, 'the read models to catch up')

  const seen = (route: string, status: string) =>
    valueOf(samples, 'proofdesk_http_request_seconds_count', { route, status })
  expect(seen('/api/register', '201')).toBe(1)
  expect(seen('/api/user', '200')).toBe(1)
  expect(seen('/api/user', '401')).toBe(1)
  expect(seen('/*path', '404')).toBe(1)
  expect(valueOf(samples, 'proofdesk_append_seconds_count', { outcome: 'appended' })).toBeGreaterThan(1)
  expect(valueOf(samples, 'proofdesk_append_conflicts_total')).toBeGreaterThanOrEqual(0)
  expect(valueOf(samples, 'proofdesk_subscription_batch_events_sum')).toBeGreaterThan(1)
  expect(valueOf(samples, 'proofdesk_view_write_documents_sum')).toBeGreaterThan(1)
  expect(valueOf(samples, 'proofdesk_subscription_drops_total')).toBe(0)
  expect(valueOf(samples, 'proofdesk_mails_total', { outcome: 'handed over' })).toBe(2)
  expect(valueOf(samples, 'proofdesk_mails_waiting')).toBe(0)
  expect(valueOf(samples, 'proofdesk_working')).toBe(1)
  expect(valueOf(samples, 'proofdesk_poison_events', { reader: 'users' })).toBe(0)
  expect(valueOf(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)

  // Labels have only values that are known in advance.
  const routesKnown = new Set<string>([...allRoutes.map(({ path }) => path), '/', '/*path', '/assets/*path', 'other'])
  expect(
    samples.flatMap(({ labels }) =>
      labels['route'] === undefined || routesKnown.has(labels['route']) ? [] : [labels['route']],
    ),
  ).toEqual([])
  const text = JSON.stringify(samples)
  for (const personal of [trader.id, trader.email]) expect(text).not.toContain(personal)

  // The metrics port serves nothing else, and the portal does not serve metrics.
  expect((await fetch(`http://127.0.0.1:${port}/api/user`)).status).toBe(404)
  expect((await portal.browser().get('/metrics')).text).not.toContain('proofdesk_')
})

it('reports how many payouts wait, what they ask for, and since when', async () => {
  const { portal, scrape } = await openMeasured()
  const admin = await portal.admin()
  const trader = await eligibleTrader(portal, admin)
  const waiting = (samples: readonly Sample[]) =>
    ['', '_dollars', '_oldest_seconds'].map((suffix) => valueOf(samples, `proofdesk_pending_payouts${suffix}`))
  expect(waiting(await scrape())).toEqual([0, 0, 0])
  const ask = (amount: string) => trader.post('/api/user/payouts', { amount, paymentMethod: 'bank' })
  const first = read(Payout, await ask('250.00')).id
  await ask('100.50')
  const [, , age] = await until(async () => {
    const [count, dollars, oldest] = waiting(await scrape())
    return count === 2 && dollars === 350.5 && [count, dollars, oldest ?? 0]
  }, 'two pending payouts in the metrics')
  expect(age).toBeGreaterThan(0)
  expect(age).toBeLessThan(600)
  await admin.patch(`/api/admin/payouts/${first}`, { status: 'approved' })
  await until(async () => valueOf(await scrape(), 'proofdesk_pending_payouts_dollars') === 100.5, 'one to be decided')
})

it('reports lag and dead letters while no worker runs', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-metrics-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const whole = await openPortal({ dataDir })
  await whole.trader()
  await whole.mailed()
  await whole.stop()
  const { portal, scrape } = await openMeasured(['command', 'query'], dataDir)
  await portal.trader()
  const { readModelStore } = portal.running.parts
  const note = {
    consumer: (await loadProjectionState(readModelStore.projections, users)).serving,
    stream: 'user-x',
    revision: 0,
    type: 'UserRegistered',
    error: 'not understood',
  }
  await readModelStore.deadLetters.add({ ...note, position: toPosition('3') })
  const samples = await scrape()
  for (const { name } of allProjections) {
    expect(valueOf(samples, 'proofdesk_projection_lag_events', { view: name }), name).toBeGreaterThan(0)
    expect(valueOf(samples, 'proofdesk_projection_lag_events', { view: name }), name).toBeLessThan(20)
    expect(valueOf(samples, 'proofdesk_projection_lag_seconds', { view: name }), name).toBeGreaterThan(0)
  }
  expect(valueOf(samples, 'proofdesk_poison_events', { reader: 'users' })).toBe(1)
})

it('is watched by alarms, one for each problem with the proof, and each in the documents', () => {
  const file = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const alerts = file('infra/deploy/alerts.yml')
  const operate = file('docs/operate.md')
  const brokenProof = file('docs/broken-proof.md')
  expect([...alerts.matchAll(/proofdesk_proof_problems\{kind="(.*)"\}/g)].map(([, kind]) => kind)).toEqual([
    ...proofProblemKinds,
  ])
  for (const [, name] of alerts.matchAll(/- alert: (\w+)/g))
    expect(operate).toMatch(new RegExp(`^\\| .*${name}\\b`, 'm'))
  for (const kind of proofProblemKinds) expect(brokenProof).toContain(`\n## ${kind}\n`)
})
