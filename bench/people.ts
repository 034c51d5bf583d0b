import { z } from 'zod'
import { browser } from '../test-support/http-client.ts'
import { registration } from '../test-support/portal.ts'

/** Somebody signed in, as a load generator needs them. */
export interface SignedIn {
  readonly id: string
  readonly cookie: string
}

export const ADMIN_KEY = 'a-key-for-benches-only'

/** The session cookie of an administrator. */
export async function signInAdmin(url: string): Promise<string> {
  const admin = browser(url)
  const { status, text } = await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
  if (status !== 200) throw new Error(`No admin could sign in: ${text}`)
  return sessionOf(admin.cookies)
}

/** Registers traders over HTTP; with `admin` their accounts are active and their payouts enabled. */
export async function signUpTraders(url: string, count: number, admin: string): Promise<SignedIn[]> {
  const traders: SignedIn[] = []
  const signUp = async (): Promise<void> => {
    const trader = browser(url)
    const email = `trader${traders.length}.${Math.random().toString(36).slice(2)}@example.com`
    const { status, body, text } = await trader.post('/api/register', { ...registration, email })
    if (status !== 201) throw new Error(`No trader could register: ${text}`)
    const { id } = z.object({ id: z.string() }).parse(body)
    await setAccount(url, admin, id)
    traders.push({ id, cookie: sessionOf(trader.cookies) })
  }
  while (traders.length < count) await Promise.all(Array.from({ length: Math.min(4, count - traders.length) }, signUp))
  return traders
}

async function setAccount(url: string, admin: string, id: string): Promise<void> {
  const response = await fetch(new URL(`/api/admin/user/${id}/account`, url), {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', cookie: admin },
    body: JSON.stringify({ status: 'active', payoutEnabled: true, balance: '50000.00', login: '10203040', server: 'Live-1', masterPassword: 's3cret' }),
  })
  if (!response.ok) throw new Error(`The account could not be set: ${await response.text()}`)
}

/** Without the position that the sign-up reached: a load generator never reads its own writes. */
export function sessionOf(cookies: ReadonlyMap<string, string>): string {
  return [...cookies]
    .filter(([name]) => !name.endsWith('position'))
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
}
