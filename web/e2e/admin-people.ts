import { z } from 'zod'
import type { Browser as Client } from '../../test-support/http-client.ts'
import { eligibleTrader } from '../../test-support/http-calls.ts'
import { newEmail, type Portal, type Trader } from '../../test-support/portal.ts'

/** People and requests for the tests of the administration. */

export interface Person {
  readonly id: string
  readonly fullName: string
  readonly email: string
}

/** Users created by an administrator, because sign-ups are rate-limited. */
export async function createUsers(admin: Client, names: readonly string[]): Promise<Person[]> {
  const made: Person[] = []
  for (const fullName of names) {
    const { body } = await admin.post('/api/admin/users', { fullName, email: newEmail() })
    made.push(z.object({ id: z.string(), fullName: z.string(), email: z.string() }).parse(body))
  }
  return made
}

/** A trader who requests these amounts in order. */
export async function traderWithRequests(portal: Portal, admin: Client, fullName: string, amounts: readonly string[]): Promise<Trader> {
  const trader = await eligibleTrader(portal, admin, { fullName })
  for (const amount of amounts) await trader.post('/api/user/payouts', { amount, paymentMethod: 'bank', paymentDetails: 'IBAN DE02 1203 0000 0000 2020 51' })
  return trader
}

/** A trader's payouts as the trader reads them. */
export async function verdictsOf(trader: Trader): Promise<readonly { status: string; adminNotes: string | null; amount: string }[]> {
  const { body } = await trader.get('/api/user/payouts')
  return z.array(z.object({ status: z.string(), adminNotes: z.string().nullable(), amount: z.string() })).parse(body)
}
