import { z } from 'zod'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import type { Browser as Client } from '#test-support/http-client.ts'
import { eligibleTrader, read, uploadCertificate } from '#test-support/http-calls.ts'
import type { Portal } from '#test-support/portal.ts'

/** In px: from here on the account stands beside the timeline, and not on a tab of its own. */
export const TWO_COLUMNS = 1024

/** A trader with events of every kind, the breach last. */
export async function livedThrough(portal: Portal, admin: Client, fullName = 'Ada Lovelace') {
  const trader = await eligibleTrader(portal, admin, { fullName })
  const set = (changes: object) => admin.patch(`/api/admin/user/${trader.id}/account`, changes)
  await set({
    balance: '5000.00',
    status: 'active',
    phase: 'Phase 1',
    login: '900100',
    masterPassword: 'the-master-password',
    dailyDrawdownLimit: '5% / $250',
  })
  await trader.post('/api/user/payouts', {
    amount: '50.00',
    paymentMethod: 'bank',
    paymentDetails: 'IBAN DE02 1203 0000 0000 2020 51',
  })
  await admin.patch(`/api/admin/payouts/${trader.id}-a1-p1`, {
    status: 'rejected',
    adminNotes: 'Proof of address is missing',
  })
  await uploadCertificate(admin, { userId: trader.id, name: 'Phase 1 passed' })
  await set({ balance: '4400.00' })
  const evidence = {
    rule: 'daily-drawdown',
    limit: '5% / $250',
    value: '-$600.00',
    occurredAt: new Date(Date.now() - 60_000).toISOString(),
  }
  await set({ status: 'breached', reason: 'Lost more than a day allows', evidence })
  return trader
}

/** The events of an account as an auditor reads them, oldest first. */
export async function eventsOf(admin: Client, userId: string) {
  return read(z.array(AuditEvent), await admin.get(`/api/audit/accounts/${userId}/events?limit=1000`))
}

/** The events of an account as its trader reads them, oldest first. */
export async function ownEvents(trader: Client) {
  return read(z.array(AuditEvent), await trader.get('/api/user/history?limit=1000'))
}

/** The number of the newest event of a type. @throws {Error} when there is none. */
export function numberOf(events: readonly AuditEvent[], type: string): number {
  const event = events.findLast((one) => one.type === type)
  if (!event) throw new Error(`No ${type} among ${events.map((one) => one.type).join(', ')}`)
  return event.number
}
