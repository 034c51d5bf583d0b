import { z } from 'zod'
import { ImportAnswer } from '#services/trading/imports/import-api.ts'
import { read } from './http-calls.ts'
import { type Browser, browser } from './http-client.ts'
import { newEmail } from './portal.ts'
import { ADMIN_KEY } from './program.ts'
import { statementForm } from './statement-form.ts'

/** What tests that kill the built program prepare in it over HTTP. */

/** An administrator of a program at this address. */
export async function signedIn(url: string): Promise<Browser> {
  const admin = browser(url)
  await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
  return admin
}

/** So many traders in a programme. Returns their accounts. */
export async function enrolledAccounts(admin: Browser, count: number, programme: string): Promise<string[]> {
  const accounts: string[] = []
  for (let n = 0; n < count; n++) {
    const created = await admin.post('/api/admin/users', { fullName: `Trader ${n}`, email: newEmail() })
    const { id } = z.object({ id: z.string() }).parse(created.body)
    await admin.post(`/api/admin/user/${id}/enrolments`, { programme })
    accounts.push(`${id}-a1`)
  }
  return accounts
}

/** The preview of a statement of trades. Its rows: 'account,id,opened,closed,profit,volume'. */
export async function previewTrades(admin: Browser, rows: readonly string[]): Promise<ImportAnswer> {
  const columns = { account: 'account', id: 'id', openedAt: 'opened', at: 'closed', profit: 'profit', volume: 'volume' }
  const text = ['account,id,opened,closed,profit,volume', ...rows].join('\n')
  const form = statementForm(text, { kind: 'trades', mapping: { delimiter: ',', columns } })
  return read(ImportAnswer, await admin.send('POST', '/api/admin/imports', form))
}
