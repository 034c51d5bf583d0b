import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { DraftedVersion } from '#services/programmes/programmes/programme-api.ts'
import type { ProgrammeTerms, RuleTerms } from '#services/rules/programme.ts'
import { programOf, read } from './http-calls.ts'
import type { Answer, Browser } from './http-client.ts'
import type { Portal, Registered, Trader } from './portal.ts'

/** Accounts under a programme of every kind of rule that traders have to watch, and what is observed of them. */

const goals: readonly RuleTerms[] = [
  { kind: 'minimum-days', days: 4, counts: { what: 'traded', day: 'closed' }, since: 'stage' },
  { kind: 'consistency', share: '40', unit: 'day', profit: 'net', since: 'stage', effect: 'withholds' },
]

/** Two-Step 100K with minimum days and consistency in each stage, and trading days that begin at 17:00 in New York. */
export function watchedTerms(name = 'Watched 100K'): ProgrammeTerms {
  const terms = presetTerms('two-step', 100_000)
  const stages = terms.stages.map((stage) => ({ ...stage, rules: [...stage.rules, ...goals] }))
  return { ...terms, name, day: { zone: 'America/New_York', startsAt: '17:00' }, stages }
}

/** Publishes terms as a programme of its own, and answers with its id. */
export async function publishedProgramme(admin: Browser, terms: ProgrammeTerms): Promise<string> {
  const { id, hash } = read(DraftedVersion, await admin.post('/api/admin/programmes', { terms }))
  const path = `/api/admin/programmes/${id}/versions/1`
  await admin.post(`${path}/what-if`)
  const published = await admin.post(`${path}/publish`, { hash })
  if (published.status !== 200) throw new Error(`The programme was not published: ${published.text}`)
  return id
}

export interface WatchedTrader {
  readonly trader: Trader
  readonly account: string
  /** Sends observations as a bridge does. */
  readonly observe: (rows: readonly object[]) => Promise<Answer>
}

/** All that a trader signs in with on the platform: an account that waits for its login becomes active with it. */
export function wholeLogin(login: string, server = 'Broker-MT5') {
  return { platform: 'mt5', login, server, masterPassword: 'trading-Secret-1' } as const
}

let logins = 90_000_000

/** A trader who is enrolled in a programme, with a platform login. */
export async function watchedTrader(
  portal: Portal,
  admin: Browser,
  programme: string,
  given?: Partial<Registered>,
): Promise<WatchedTrader> {
  const trader = await portal.trader(given)
  const account = `${trader.id}-a1`
  await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme })
  await admin.patch(`/api/admin/accounts/${account}`, wholeLogin(String(++logins)))
  const bridge = await programOf(portal, admin, { name: 'Bridge', scopes: ['feed'] })
  const observe = (rows: readonly object[]) =>
    bridge.post('/api/feed/observations', { rows: rows.map((row) => ({ account, ...row })) })
  return { trader, account, observe }
}

/** A closed trade. @param at An instant of RFC 3339 */
export function tradeAt(id: string, at: string, profit: string) {
  const openedAt = new Date(Date.parse(at) - 3_600_000).toISOString()
  return { at, kind: 'trade', id, openedAt, profit, volume: '1.00' }
}
