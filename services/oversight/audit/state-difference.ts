import { accountId as idOfAccount } from '#services/framework/ids.ts'
import { isList, type ShownContent, type ShownItem, type ShownRecord } from '#services/framework/shown-state.ts'
import { unopenedAccount } from './account-state.ts'
import type { AuditAccount, AuditState } from './audit-api.ts'
import type { AuditChange } from './audit-event-api.ts'

/** The difference between two states of a person, part by part: it knows no part by name. */

/** The changes that lead from one state to the other. An added or removed item is one change with all its fields. */
export function difference(from: AuditState, to: AuditState): AuditChange[] {
  const ids = new Set([...from.accounts, ...to.accounts].map(({ id }) => id))
  return [
    ...recordChanges('user', from.user, to.user),
    ...[...ids].flatMap((accountId) => {
      const accountIn = ({ accounts }: AuditState) =>
        accounts.find(({ id }) => id === accountId) ?? unopenedAccount(idOfAccount.parse(accountId))
      return accountChanges(accountIn(from), accountIn(to)).map((change) => ({ ...change, accountId }))
    }),
  ]
}

function accountChanges({ id: _from, ...from }: AuditAccount, { id: _to, ...to }: AuditAccount): AuditChange[] {
  const before = new Map(Object.entries<ShownContent>(from))
  return Object.entries<ShownContent>(to).flatMap(([part, content]) => partChanges(part, before.get(part), content))
}

function partChanges(part: string, from: ShownContent | undefined, to: ShownContent): AuditChange[] {
  if (!isList(to)) return recordChanges(part, from && !isList(from) ? from : null, to)
  const [before, after] = [byId(from && isList(from) ? from : []), byId(to)]
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids].flatMap((id) => recordChanges(`${part}.${id}`, before.get(id) ?? null, after.get(id) ?? null))
}

function recordChanges(path: string, from: ShownRecord | null, to: ShownRecord | null): AuditChange[] {
  if (!from || !to) return from === to ? [] : [{ field: path, from: from && { ...from }, to: to && { ...to } }]
  return Object.keys(to).flatMap((field) => {
    const [before, after] = [from[field] ?? null, to[field] ?? null]
    return before === after ? [] : [{ field: `${path}.${field}`, from: before, to: after }]
  })
}

function byId(items: readonly ShownItem[]): ReadonlyMap<string, ShownItem> {
  return new Map(items.map((item) => [item.id, item]))
}
