import { addressWith } from './api/api.ts'

/** Addresses of events: where stamps lead. */

/** An event in the trader's own history, of this account, else of the current one. */
export function ownHistoryAddress(number: number, account: string | undefined): string {
  return addressWith('/history', { at: number, account })
}

/** An event in a user's history, for administrators and auditors. */
export function auditAddress(number: number, of: string): string
export function auditAddress(number: number, of?: string): string | undefined
export function auditAddress(number: number, of?: string): string | undefined {
  return of === undefined ? undefined : `${auditAddressOf(of)}?at=${number}`
}

/** The history of a user. */
export function auditAddressOf(userId: string): string {
  return `/admin/audit/${encodeURIComponent(userId)}`
}

/** Everything one actor did. */
export function activityAddressOf(actor: string): string {
  return addressWith('/admin/audit/facts', { actor })
}
