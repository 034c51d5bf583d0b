import { accountId as idOfAccount } from '#services/modules/ids.ts'
import { unopenedAccount } from './account-state.ts'
import type { AuditAccount, AuditChange, AuditState, AuditValue } from './audit-api.ts'

/** The difference between two states of an account. */

type Fields = Readonly<Record<string, string | number | boolean | null>>

/** The changes that lead from one state to the other. An added or removed part is one change with all its fields. */
export function difference(from: AuditState, to: AuditState): AuditChange[] {
  const ids = new Set([...from.accounts, ...to.accounts].map(({ id }) => id))
  return [
    ...fieldChanges('user', from.user, to.user),
    ...[...ids].flatMap((accountId) => {
      const accountIn = ({ accounts }: AuditState) =>
        accounts.find(({ id }) => id === accountId) ?? unopenedAccount(idOfAccount.parse(accountId))
      return accountChanges(accountIn(from), accountIn(to)).map((change) => ({ ...change, accountId }))
    }),
  ]
}

function accountChanges(from: AuditAccount, to: AuditAccount): AuditChange[] {
  return [
    ...fieldChanges('account', fieldsOf(from), fieldsOf(to)),
    ...listChanges('payouts', from.payouts, to.payouts),
    ...listChanges('certificates', from.certificates, to.certificates),
  ]
}

function fieldsOf({ id: _id, payouts: _payouts, certificates: _certificates, ...fields }: AuditAccount): Fields {
  return fields
}

function fieldChanges(path: string, from: Fields | null, to: Fields | null): AuditChange[] {
  if (!from || !to) return from === to ? [] : [{ field: path, from: from && { ...from }, to: to && { ...to } }]
  return Object.keys(to).flatMap((field) => {
    const [before, after]: [AuditValue, AuditValue] = [from[field] ?? null, to[field] ?? null]
    return before === after ? [] : [{ field: `${path}.${field}`, from: before, to: after }]
  })
}

function listChanges<Item extends Fields & { readonly id: string }>(
  path: string,
  from: readonly Item[],
  to: readonly Item[],
): AuditChange[] {
  const before = new Map(from.map((item) => [item.id, item]))
  const after = new Map(to.map((item) => [item.id, item]))
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids].flatMap((id) => fieldChanges(`${path}.${id}`, before.get(id) ?? null, after.get(id) ?? null))
}
