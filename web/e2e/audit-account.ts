import { z } from 'zod'
import type { Browser as Client } from '../../test-support/http-client.ts'
import { eligibleTrader, uploadCertificate } from '../../test-support/http-calls.ts'
import type { Portal } from '../../test-support/portal.ts'

/** A trader with events of every kind, the breach last. */
export async function livedThrough(portal: Portal, admin: Client, fullName = 'Ada Lovelace') {
  const trader = await eligibleTrader(portal, admin, { fullName })
  const set = (changes: object) => admin.patch(`/api/admin/user/${trader.id}/account`, changes)
  await set({ balance: '5000.00', status: 'active', phase: 'Phase 1', login: '900100', masterPassword: 'the-master-password', dailyDrawdownLimit: '5% / $250' })
  await trader.post('/api/user/payouts', { amount: '50.00', paymentMethod: 'bank', paymentDetails: 'IBAN DE02 1203 0000 0000 2020 51' })
  await admin.patch(`/api/admin/payouts/${trader.id}-p1`, { status: 'rejected', adminNotes: 'Proof of address is missing' })
  await uploadCertificate(admin, { userId: trader.id, name: 'Phase 1 passed' })
  await set({ balance: '4400.00' })
  const evidence = { rule: 'daily-drawdown', limit: '5% / $250', value: '-$600.00', occurredAt: new Date(Date.now() - 60_000).toISOString() }
  await set({ status: 'breached', reason: 'Lost more than a day allows', evidence })
  return trader
}

const Facts = z.array(z.object({ number: z.int(), type: z.string() }))

/** The events of an account as an auditor reads them, oldest first. */
export async function factsOf(admin: Client, userId: string) {
  return Facts.parse((await admin.get(`/api/audit/accounts/${userId}/facts?limit=1000`)).body)
}

/** The events of an account as its trader reads them, oldest first. */
export async function ownFacts(trader: Client) {
  return Facts.parse((await trader.get('/api/user/history?limit=1000')).body)
}

/** The number of the newest event of a type. @throws {Error} when there is none. */
export function numberOf(facts: z.infer<typeof Facts>, type: string): number {
  const fact = facts.findLast((one) => one.type === type)
  if (!fact) throw new Error(`No ${type} among ${facts.map((one) => one.type).join(', ')}`)
  return fact.number
}
