import { z } from 'zod'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { User } from '#services/identity/users/user-api.ts'
import type { Browser as Client } from '#test-support/http-client.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import { newEmail, type Portal, type Trader } from '#test-support/portal.ts'

/** People and requests for the tests of the administration. */

/** Users created by an administrator, because sign-ups are rate-limited. */
export async function createUsers(admin: Client, names: readonly string[]): Promise<User[]> {
  const created: User[] = []
  for (const fullName of names)
    created.push(read(User, await admin.post('/api/admin/users', { fullName, email: newEmail() })))
  return created
}

/** A trader who requests these amounts in order. @param where the money goes */
export async function traderWithRequests(
  portal: Portal,
  admin: Client,
  fullName: string,
  amounts: readonly string[],
  where: object = { paymentDetails: 'IBAN DE02 1203 0000 0000 2020 51' },
): Promise<Trader> {
  const trader = await eligibleTrader(portal, admin, { fullName })
  for (const amount of amounts)
    await trader.post('/api/user/payouts', {
      amount,
      paymentMethod: 'bank',
      ...where,
    })
  return trader
}

/** A trader's payouts as the trader reads them. */
export async function payoutsOf(trader: Trader): Promise<Payout[]> {
  return read(z.array(Payout), await trader.get('/api/user/payouts'))
}
