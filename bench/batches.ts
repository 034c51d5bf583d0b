import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { newUserId } from '#services/identity/authentication/password-link-tokens.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { Batch } from '#services/payments/batches/batch-api.ts'
import { accountIdOf, payoutId } from '#services/framework/ids.ts'
import { approvePayout } from '#services/trading/stream/payout.ts'
import { toCents } from '#services/rules/money.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { quantile } from '#test-support/quantile.ts'
import { withDependencies } from '#test-support/stores.ts'
import { jsonHeaders, untilCaughtUp } from './clients.ts'
import { below, type Figure, type Settings, type Subject, whole } from './figures.ts'
import { scratchFolder, signInAdmin, startProgram } from './programs.ts'

const PAYMENTS = 1_000
/** The goal of a batch with its file, in ms. */
const MOST = 2_000
const TOTALS = 20
/** The goal of their totals, in ms: what feels immediate. */
const MOST_TOTALS = 100

export const batches: Subject = {
  name: 'batches',
  about: `a SEPA batch of ${whole(PAYMENTS)} payments of as many accounts, embedded, the whole portal in one process`,
  measure,
}

async function measure({ say }: Settings): Promise<readonly Figure[]> {
  const dataDir = scratchFolder('batches')
  say(`writing ${whole(PAYMENTS)} approved payouts`)
  const payouts = await withDependencies({ DATA_DIR: dataDir, ADMIN_ACCESS_KEY: ADMIN_KEY }, async (parts) =>
    Promise.all(
      Array.from({ length: PAYMENTS }, async (_, n) => {
        const owner = newUserId()
        await parts.personKeys.getOrCreate(owner)
        const account = accountIdOf(owner, 1)
        const id = payoutId.parse(`${account}-p1`)
        const context = systemContext('bench', `payout ${n}`)
        const destination = { holder: `Trader ${n}`, iban: 'DE89370400440532013000' }
        const request = {
          amount: toCents(100_00 + n),
          method: 'bank',
          details: '',
          destination,
          idempotency: null,
        } as const
        const repository = parts.repositories.of(accountStreams)
        await repository.decide(account, context, () => [
          { type: 'AccountOpened', data: { accountId: account } },
          { type: 'PayoutRequested', data: { payoutId: id, ...request } },
        ])
        await repository.decide(account, context, (state) => approvePayout(state, id, { now: 0 }))
        return id
      }),
    ),
  )
  const { url, stop } = await startProgram({ dataDir })
  const cookie = await signInAdmin(url)
  await untilCaughtUp(url, cookie)
  const times: number[] = []
  const ask = async (method: string, path: string, body?: object): Promise<Response> => {
    const began = performance.now()
    const init = { method, headers: jsonHeaders(cookie), ...(body && { body: JSON.stringify(body) }) }
    const answer = await fetch(new URL(path, url), init)
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    times.push(performance.now() - began)
    return answer
  }
  await ask('PATCH', '/api/admin/system/firm-account', { name: 'Firm', iban: 'NL91ABNA0417164300', bic: 'ABNANL2A' })
  // A member who chooses the payments reads them once for each box that is ticked.
  const totals = async () => (await ask('POST', '/api/admin/payouts/totals', { payouts, rate: '0.92' })).text()
  times.length = 0
  for (let read = 0; read <= TOTALS; read++) await totals()
  const [first = 0, ...again] = times
  times.length = 0
  const sepa = { format: 'pain.001', currency: 'EUR', rate: '0.92', payouts }
  const { id } = Batch.parse(await (await ask('POST', '/api/admin/batches', sepa)).json())
  await ask('POST', `/api/admin/batches/${id}/release`)
  await (await ask('GET', `/api/admin/batches/${id}/file`)).text()
  await stop()
  const [made, released, file] = times.map((ms) => `${ms.toFixed(0)} ms`)
  const all = times.reduce((sum, ms) => sum + ms, 0)
  return [
    below('a batch with its file', MOST, all, 'ms', `made ${made}, released ${released}, file ${file}`),
    below(
      'their totals, p95',
      MOST_TOTALS,
      quantile(again, 0.95),
      'ms',
      `the first after a start ${first.toFixed(0)} ms`,
    ),
  ]
}
