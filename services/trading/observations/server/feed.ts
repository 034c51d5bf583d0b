import { z } from 'zod'
import { faultsOf } from '#services/framework/api/faults.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Observation } from '#services/rules/observation.ts'
import type { FeedRow } from '../observation-api.ts'
import { recordObservations, type RowResult } from '#services/trading/stream/observation.ts'
import { futureFault, sentObservation } from '../observation-api.ts'
import { accountFinder, type Whose } from './account-finder.ts'
import { recordRows, type RowOfAccount } from './record-rows.ts'

/** Records what a program sends, and says what became of each row. */
export async function recordFeed(
  { repositories, logins, react, now }: Pick<TradingParts['commands'], 'repositories' | 'logins' | 'react' | 'now'>,
  rows: readonly unknown[],
  context: Context,
) {
  const accountOf = accountFinder(logins)
  const readable: RowOfAccount[] = []
  const refused = new Map<number, RowResult>()
  for (const [index, row] of rows.entries()) {
    const read = readRow(row, now())
    const account = 'reason' in read ? undefined : await accountOf(read.whose)
    if ('reason' in read) refused.set(index, { outcome: 'refused', reason: read.reason })
    else if (!account) refused.set(index, { outcome: 'refused', reason: 'There is no such account' })
    else readable.push({ index, account, observation: read.observation })
  }
  const { results, position } = await recordRows(
    { repositories, react },
    readable,
    (state, observations) => recordObservations(state, observations, 'feed'),
    context,
  )
  const body = rows.map((_, index): FeedRow => {
    const result = results.get(index) ?? refused.get(index)
    if (!result) throw new TypeError(`Nothing became of row ${index}`)
    return { index, ...result }
  })
  return { body, position }
}

type ReadRow = { readonly whose: Whose; readonly observation: Observation } | { readonly reason: string }

const text = z.string('expected a text').min(1, 'expected a text').max(500, 'expected at most 500 characters')
const whose = z.union([z.strictObject({ account: text }), z.strictObject({ server: text, login: text })], {
  error: 'expected "account", or "server" and "login"',
})
const anyRow = z.looseObject({}, 'expected an object')

/** A row as it is sent: whose it is, beside the fields of the observation. */
function readRow(row: unknown, now: number): ReadRow {
  const fields = anyRow.safeParse(row)
  if (!fields.success) return { reason: reasonOf(fields.error) }
  const { account, server, login, ...rest } = fields.data
  const owner = whose.safeParse(withoutAbsent({ account, server, login }))
  if (!owner.success) return { reason: reasonOf(owner.error) }
  const observed = sentObservation.safeParse(rest)
  if (!observed.success) return { reason: reasonOf(observed.error) }
  const fault = futureFault(observed.data, now)
  return fault === null ? { whose: owner.data, observation: observed.data } : { reason: fault }
}

function withoutAbsent(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function reasonOf(error: z.core.$ZodError): string {
  const [[place, message] = ['', 'expected another row']] = faultsOf(error)
  return place === '' ? message : `${place}: ${message}`
}
