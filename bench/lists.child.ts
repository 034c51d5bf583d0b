import { readConfig } from '../services/config.ts'
import { start } from '../services/server.ts'
import { toPosition } from '../infra/event-store/event-store.ts'
import type { Document, ViewStore } from '../infra/read-model-store/read-model-store.ts'
import { initialCollection } from '../services/event-sourcing/projections/rebuild-state.ts'
import { emptyFirm, FIRM, firm, type FirmDocument, type UserDocument, users } from '../services/projections/index.ts'
import { inputOf, say, scratchFolder } from './children.ts'
import { listsInput } from './lists-run.ts'
import { hashed, nameOf } from './names.ts'

/** The query service over views of very many users, which were written without any log. */

const { count, adminKey } = inputOf(listsInput)
const environment = {
  DATA_DIR: scratchFolder('lists'),
  PORT: '0',
  HOST: '127.0.0.1',
  ADMIN_ACCESS_KEY: adminKey,
  REGISTRATIONS_PER_HOUR: '0',
  LOG_LEVEL: 'warn',
}
// Without a worker, which would make the views equal to the log again.
const { address, parts } = await start(readConfig(environment), ['command', 'query'])
await fill(parts.viewStore)
say({ url: address, dataDir: environment.DATA_DIR })

async function fill(viewStore: ViewStore): Promise<void> {
  const batch = 2_000
  const collection = initialCollection(users)
  const position = toPosition('1')
  await viewStore.open(users.collection(collection))
  for (let from = 0; from < count; from += batch) {
    const writes = Array.from({ length: Math.min(batch, count - from) }, (_, n) => {
      const document = userOf(from + n)
      return { id: document.id, document, position, expected: null }
    })
    await viewStore.write(collection, writes)
  }
  const figures: FirmDocument & Document = { ...emptyFirm, users: { ...emptyFirm.users, total: count, active: Math.ceil(count / 4) } }
  const firmCollection = initialCollection(firm)
  await viewStore.open(firm.collection(firmCollection))
  await viewStore.write(firmCollection, [{ id: FIRM, document: figures, position, expected: null }])
}

function userOf(number: number): UserDocument {
  const statuses = ['active', 'pending', 'under-review', 'breached'] as const
  const at = Date.UTC(2026, 0, 1) + number * 1_000
  const stamp = { number: 2, at, by: 'admin', name: 'Dana, payouts desk' } as const
  return {
    id: `user${String(number).padStart(20, '0')}`,
    ...nameOf(number),
    country: 'Austria',
    city: 'Vienna',
    street: 'Long Street',
    houseNumber: String((number % 200) + 1),
    privacyPolicyAgreed: true,
    banned: hashed(number) % 50 === 0,
    banReason: hashed(number) % 50 === 0 ? 'Traded the news' : null,
    banStamp: hashed(number) % 50 === 0 ? stamp : null,
    createdAt: at,
    account: {
      status: statuses[number % statuses.length] ?? 'active',
      phase: 'Phase 1',
      balance: hashed(number) % 100_000_000,
      profitLoss: hashed(number + 1) % 1_000_000,
      login: String(10_000_000 + number),
      server: 'Live-1',
      masterPassword: null,
      payoutEnabled: number % 2 === 0,
      dailyDrawdownLimit: '5% / $2500',
      overallLossLimit: '10% / $5000',
      profitTarget: '8% / $4000',
      openedAt: at,
      statusStamp: { ...stamp, reason: null, evidence: null, corrects: null },
      phaseStamp: stamp,
      limitsStamp: { ...stamp, reason: null },
      payoutsStamp: stamp,
    },
  }
}
