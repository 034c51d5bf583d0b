import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { observation } from '#services/rules/observation.ts'
import type { AccountState } from '#services/trading/stream/account-aggregate.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'
import { exportedAccount } from './exported-account.ts'

/**
 * A file that someone signed with a key of their own, whose check takes far longer than that of a history of its
 * size: its rows alternate between 1970 and 2199, and between them lie 84,000 days. It is signed anew, not recorded so.
 */
export async function endlessExport(rows: number): Promise<string> {
  const terms = presetTerms('two-step', 100_000)
  const { hash } = hashedTerms(terms)
  const observed = (state: AccountState) => {
    const balances = { kind: 'state', balance: '100000.00', equity: '100000.00', open: false }
    const at = (n: number) => new Date((state.stage?.begunAt ?? 0) + n).toISOString()
    const all = Array.from({ length: rows }, (_, n) => observation.parse({ ...balances, at: at(n) }))
    return recordObservations(state, all, 'feed').events
  }
  const firm = await exportedAccount({ enrolled: { terms, hash, acceptedHash: hash, recorded: [observed] } })
  let count = 0
  const otherTime = () => {
    const at = ++count % 2 === 0 ? Date.UTC(2199, 0, 1) - count : Date.UTC(1970, 0, 2) + count
    return `"at":"${new Date(at).toISOString()}"`
  }
  const events = firm.events.map((event) =>
    event.type === 'ObservationsRecorded'
      ? { ...event, data: event.data.replaceAll(/"at":"[^"]+"/g, otherTime) }
      : event,
  )
  const file = await firm.fileOf('trader', events, firm.logOf(events))
  await firm.close()
  return file
}
