import { after } from '#test-support/http-calls.ts'
import type { Portal } from '#test-support/portal.ts'

/** No two accounts of a server have the same login. */
let logins = 50_138_966

const funded = {
  status: 'active',
  phase: 'Phase 1',
  balance: '10000.00',
  masterPassword: 'mt5 secret',
  server: 'Proofdesk-MT5-Live 2',
  dailyDrawdownLimit: '5% / $500',
  overallLossLimit: '10%',
  profitTarget: '1000',
}

/** A trader whose account was funded with $10,000.00 today and then lost $120.00, or changed as given. */
export async function tradingAccount(portal: Portal, changes: object = { balance: '9880.00', profitLoss: '-120.00' }) {
  const [trader, admin] = await Promise.all([portal.trader(), portal.admin()])
  const change = (further: object) => admin.patch(`/api/admin/user/${trader.id}/account`, further)
  const login = String(++logins)
  await change({ ...funded, login })
  // Visible before a page opens: what becomes visible later is requested again.
  await trader.get('/api/user/account', after(await change(changes)))
  return { trader, admin, change, login }
}
