import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { formatDate } from '@/format/dates.ts'

type Promised = Pick<ListedPayout, 'status' | 'promise' | 'hold'>

/** Until when a payout is promised to be decided and sent, and by how much that was missed; empty without a promise. */
export function promiseItems({ status, promise, hold }: Promised, now: number) {
  if (!promise) return []
  const { decideBy, sendBy, missed } = promise
  const running = status === 'pending' ? decideBy : status === 'approved' ? sendBy : null
  const name = status === 'pending' ? 'Decision promised by' : 'Payment promised by'
  const isSent = missed.some(({ of }) => of === 'sending')
  return [
    ...(running === null || isSent ? [] : [{ name, value: hold ? 'A hold stops the clock' : timeLeft(running, now) }]),
    ...missed.map(({ of, seconds }) => ({
      name: of === 'decision' ? 'The decision came late' : 'The payment came late',
      value: `by ${spanText(seconds)}`,
    })),
  ]
}

/** '3 Mar 2026, 14:07 (5 h left)' */
function timeLeft(by: string, now: number): string {
  const seconds = Math.round((Date.parse(by) - now) / 1000)
  const left = seconds >= 0 ? `${spanText(seconds)} left` : `${spanText(-seconds)} late`
  return `${formatDate(by, 'exact')} (${left})`
}

function spanText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`
}
