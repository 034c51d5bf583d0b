import { addressWith } from '../../api/api.ts'

/** Addresses of facts: where stamps lead. */

/** A fact in the trader's own history. */
export function ownHistoryAddress(number: number): string {
  return `/history?at=${number}`
}

/** A fact in the history of a user, for administrators and auditors. */
export function auditAddress(number: number, of?: string): string | undefined {
  return of === undefined ? undefined : `${auditAddressOf(of)}?at=${number}`
}

/** The history of a user. */
export function auditAddressOf(userId: string): string {
  return `/admin/audit/${encodeURIComponent(userId)}`
}

/** Everything that somebody did. */
export function activityAddressOf(actor: string): string {
  return addressWith('/admin/audit/facts', { actor })
}
