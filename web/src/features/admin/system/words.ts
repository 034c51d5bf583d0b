import type { SetAsideEvent, System, SystemReader } from '../../../../../services/api/system-schemas.ts'
import { formatCount } from '../../../format/counts.ts'

/** The page System in words: exact, and the same for screen readers. */

/** '43%, about 12 s left' */
export function formatProgress({ fraction, secondsLeft }: { readonly fraction: number; readonly secondsLeft: number | null }): string {
  const share = `${Math.floor(fraction * 100)}%`
  return secondsLeft === null ? share : `${share}, about ${formatTimeLeft(secondsLeft)} left`
}

/** '12 s', '3 min', '2 h' */
export function formatTimeLeft(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  return seconds < 90 * 60 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

/** What a reader of the log is doing, in a word or two. */
export function formatReaderState({ caughtUp, rebuild }: Pick<SystemReader, 'caughtUp' | 'rebuild'>): string {
  if (rebuild?.state === 'asked') return 'Rebuild asked for'
  if (rebuild) return rebuild.state === 'finishing' ? 'Making indexes' : 'Building anew'
  return caughtUp ? 'Up to date' : 'Catching up'
}

/** What went wrong, without what is said beside it anyway. */
export function formatDeadLetter({ type, stream, revision, error }: Pick<SetAsideEvent, 'type' | 'stream' | 'revision' | 'error'>): string {
  const place = `${type} at ${stream}#${revision}: `
  return error.startsWith(place) ? error.slice(place.length) : error
}

/** 'All 7 are there', '1 of 7 is away' */
export function formatComponents(parts: System['parts']): string {
  const away = parts.filter(({ ready }) => !ready).length
  if (away === 0) return `All ${parts.length} are there`
  return `${away} of ${parts.length} ${away === 1 ? 'is' : 'are'} away`
}

/** 'No fact waits for a seal', '12 facts wait for one' */
export function formatUnsealed(unsealed: number): string {
  if (unsealed === 0) return 'No fact waits for a seal'
  if (unsealed >= 1_000) return 'At least 1,000 facts wait for one'
  return unsealed === 1 ? '1 fact waits for one' : `${formatCount(unsealed)} facts wait for one`
}
