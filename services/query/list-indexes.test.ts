import { userOrders } from '#services/trading/stream/account-vocabulary.ts'
import { UserListStatus } from '#services/trading/traders/trader-api.ts'
import { afterAll, expect, it, vi } from 'vitest'
import { indexesOf } from '#infra/read-model-store/mongodb-collections.ts'
import { keyOf } from '#infra/read-model-store/mongodb-stored-document.ts'
import type { Query } from '#infra/read-model-store/read-model-store.ts'
import { openPortal } from '#test-support/portal.ts'
import { DEFAULT_ORDER } from '#services/framework/api/pagination-schemas.ts'
import { payoutOrders } from '#services/trading/stream/payout-vocabulary.ts'
import { PayoutListStatus } from '#services/payments/payouts/payout-api.ts'
import { batches } from '#services/payments/batches/batch-read-model.ts'
import { batchStates } from '#services/payments/batches/batch-vocabulary.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { allProjections } from '#services/portal/modules.ts'

// MongoDB carries a million users: there, a filter or an order without its index reads every document.

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

/** The worker looks for these by itself, at any moment. */
const isByWorker = ({ name }: { readonly name: string }) => name === 'time_decisions'

/** The queries that requests lead to, by projection. */
async function queriesOf(addresses: readonly string[]): Promise<{ readonly name: string; readonly query: Query }[]> {
  const spies = portal.running.each.map(({ readModelStore }) => vi.spyOn(readModelStore.documents, 'find'))
  for (const address of addresses) expect((await admin.get(address, await portal.atEnd())).status, address).toBe(200)
  const queries = spies
    .flatMap(({ mock }) => mock.calls)
    .map(([collection, query]) => ({
      name: collection.replace(/_m\d+(_\d+)?$/, ''),
      query,
    }))
    .filter((each) => !isByWorker(each))
  for (const spy of spies) spy.mockRestore()
  return queries
}

/** The fields of each index that MongoDB has for a projection. */
function indexFields(name: string): readonly (readonly string[])[] {
  const projection = allProjections.find((each) => each.name === name)
  const { filters = [], sorts = [], search = [] } = projection?.collection(name) ?? { name }
  return indexesOf({ definition: { name, filters: [...filters, ...sorts] }, search }).map(({ key }) => Object.keys(key))
}

/** What a query needs that no index begins with. 'gone' is the same for every document that is found. */
function missing({
  name,
  query: { where = {}, search, sort },
}: {
  readonly name: string
  readonly query: Query
}): string[] {
  const indexes = indexFields(name)
  const beginsOne = (fields: readonly string[]) =>
    indexes.some((index) => fields.every((field, n) => index[n] === field))
  const order = sort === undefined || sort.by === 'created' ? ['made'] : [keyOf(sort.by), 'made']
  const needed = [
    ['gone', ...order],
    ...Object.keys(where).map((path) => ['gone', keyOf(path)]),
    ...(search ? [['grams']] : []),
  ]
  return needed.filter((fields) => !beginsOne(fields)).map((fields) => `${name}: ${fields.join(', ')}`)
}

function addresses(list: string, orders: readonly string[], filters: readonly string[]): string[] {
  return [DEFAULT_ORDER, ...orders].flatMap((order) =>
    ['', ...filters].flatMap((filter) =>
      ['', '&search=ann'].map((search) => `/api/admin/${list}?sort=${order}${filter}${search}`),
    ),
  )
}

it('every filter and every order of a list has its index in MongoDB', async () => {
  const userFilters = [
    ...UserListStatus.options.map((status) => `&status=${status}`),
    '&banned=false',
    '&payoutEnabled=true',
    '&phase=One',
  ]
  const payoutFilters = [
    ...PayoutListStatus.options.map((status) => `&status=${status}`),
    '&userId=abc',
    '&account=abc-a1',
    '&payment=open',
    '&method=bank',
    '&batch=b1',
    '&minAmount=5',
    '&olderThan=2',
    '&from=2026-11-01',
    '&to=2026-11-30',
    '&approvals=first',
    '&overdue=decision',
  ]
  const queries = await queriesOf([
    ...addresses('users', userOrders, userFilters),
    ...addresses('payouts', payoutOrders, payoutFilters),
    ...['/api/admin/batches', ...batchStates.map((state) => `/api/admin/batches?status=${state}`)],
  ])
  const filtered = (name: string) =>
    [
      ...new Set(queries.filter((each) => each.name === name).flatMap(({ query }) => Object.keys(query.where ?? {}))),
    ].sort()
  const ordered = (name: string) =>
    [...new Set(queries.filter((each) => each.name === name).flatMap(({ query }) => query.sort?.by ?? []))].sort()
  for (const { name, collection } of [users, payouts, batches]) {
    // The worker asks for payouts that are due.
    const ofWorker = name === payouts.name ? ['promise.due'] : []
    expect([...filtered(name), ...ofWorker].sort()).toEqual([...(collection(name).filters ?? [])].sort())
    expect(ordered(name)).toEqual([...(collection(name).sorts ?? [])].sort())
  }
  expect(queries.flatMap(missing)).toEqual([])
})

it('so has the history of an account and the bell', async () => {
  const trader = await portal.trader()
  const queries = await queriesOf([`/api/admin/user/${trader.id}/account/history`])
  expect(queries.map(({ name }) => name).sort()).toEqual(['balance_changes', 'decisions'])
  const bell = { name: 'decisions', query: { where: { bellOf: trader.id }, limit: 20 } }
  expect([...queries, bell].map((each) => ({ ...each, name: each.name.replace('_', '-') })).flatMap(missing)).toEqual(
    [],
  )
})

it('so has the activity of the firm', async () => {
  const filters = [
    'actor=admin',
    'actor=Dana',
    'type=UserBanned,UserUnbanned',
    'from=1',
    'to=2026-03-04',
    'from=1&to=2030-01-01',
  ]
  const queries = await queriesOf(filters.map((filter) => `/api/audit/events?${filter}`))
  const ofActivity = queries.filter(({ name }) => name === 'activity')
  expect(ofActivity).toHaveLength(filters.length)
  expect(ofActivity.flatMap(missing)).toEqual([])
})

it('finds an index that is missing', () => {
  const query = { where: { banReason: 'x' }, sort: { by: 'banned', direction: 1 }, search: 'ann', limit: 1 } as const
  expect(missing({ name: 'users', query })).toEqual(['users: gone, keys.banReason'])
  expect(missing({ name: 'certificates', query: { where: { userId: 'a', codeHash: 'b' }, limit: 1 } })).toEqual([])
  expect(missing({ name: 'certificates', query })).toEqual([
    'certificates: gone, keys.banned, made',
    'certificates: gone, keys.banReason',
    'certificates: grams',
  ])
})
