import type { AuditChange, AuditState, AuditValue } from '../services/api/index.ts'

/** For tests: a moment with changes made to it, as someone would who knows only the shapes of the two. */
export function applyChanges(state: AuditState, changes: readonly AuditChange[]): unknown {
  const { user, account, payouts, certificates } = structuredClone(state)
  const byId = (list: readonly { readonly id: string }[]) => Object.fromEntries(list.map((item) => [item.id, item]))
  const whole: Node = { user, account, payouts: byId(payouts), certificates: byId(certificates) }
  for (const { field, from, to } of changes) set(whole, field.split('.'), from, to)
  const list = (items: unknown) => (isNode(items) ? Object.values(items).filter((item) => item !== null) : [])
  return { user: whole['user'], account: whole['account'], payouts: list(whole['payouts']), certificates: list(whole['certificates']) }
}

interface Node {
  [field: string]: unknown
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

function set(node: Node, [field = '', ...rest]: readonly string[], from: AuditValue, to: AuditValue): void {
  if (rest.length === 0) {
    if (JSON.stringify(node[field] ?? null) !== JSON.stringify(from))
      throw new Error(`${field} was ${JSON.stringify(node[field])}, not ${JSON.stringify(from)}`)
    node[field] = to
    return
  }
  const inner = node[field]
  if (!isNode(inner)) throw new Error(`There is no ${field}`)
  set(inner, rest, from, to)
}
