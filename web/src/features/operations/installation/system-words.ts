import type { SetAsideEvent, System, SystemReader } from '#services/operations/installation/installation-api.ts'
import type { ProofProblemKind } from '#services/framework/api/proof-schemas.ts'
import { counted, formatCount } from '@/format/counts.ts'

/** Texts of the System page. */

/** '43%, about 12 s left' */
export function formatProgress({
  fraction,
  secondsLeft,
}: {
  readonly fraction: number
  readonly secondsLeft: number | null
}): string {
  const share = `${Math.floor(fraction * 100)}%`
  return secondsLeft === null ? share : `${share}, about ${formatTimeLeft(secondsLeft)} left`
}

/** '12 s', '3 min', '2 h' */
export function formatTimeLeft(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  return seconds < 90 * 60 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

/** '12 s', '3 min', '5 h', '2 days' */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  return seconds < 48 * 3_600 ? formatTimeLeft(seconds) : `${Math.round(seconds / 86_400)} days`
}

/** '12.3 GB' */
export function formatBytes(bytes: number): string {
  const units = ['kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)))
  return `${(bytes / 1_000 ** power).toFixed(1)} ${units[power - 1]}`
}

/** The state of a read model or policy, in a word or two. */
export function formatReaderState({ caughtUp, rebuild }: Pick<SystemReader, 'caughtUp' | 'rebuild'>): string {
  if (rebuild?.state === 'asked') return 'Rebuild requested'
  if (rebuild) return rebuild.state === 'finishing' ? 'Building indexes' : 'Rebuilding'
  return caughtUp ? 'Up to date' : 'Catching up'
}

/** The error without the event's name, which is shown beside it. */
export function formatDeadLetter({
  type,
  stream,
  revision,
  error,
}: Pick<SetAsideEvent, 'type' | 'stream' | 'revision' | 'error'>): string {
  const prefix = `${type} at ${stream}#${revision}: `
  return error.startsWith(prefix) ? error.slice(prefix.length) : error
}

/** The names of components in the API, and for people. */
const componentNames: Readonly<Record<string, string>> = {
  'event store': 'Event log',
  'view store': 'Read models',
  'key store': 'Personal keys',
  'session store': 'Sessions',
  'mail queue': 'Outbox',
  'mail transport': 'Mail delivery',
  'file store': 'Files',
}

/** The name of a component on screen; a component that only a newer server knows keeps the server's name. */
export function componentName(name: string): string {
  return componentNames[name] ?? name
}

/** 'None since 00:00 UTC', '3 since 14:07 UTC' */
export function formatErrors({ count, since }: System['serverErrors']): string {
  return `${count === 0 ? 'None' : formatCount(count)} since ${since.slice(11, 16)} UTC`
}

/** 'All 7 available', '1 of 7 unavailable' */
export function formatComponents(parts: System['parts']): string {
  const away = parts.filter(({ ready }) => !ready).length
  return away === 0 ? `All ${parts.length} available` : `${away} of ${parts.length} unavailable`
}

/** 'All events sealed', '12 events not sealed yet' */
export function formatUnsealed(unsealed: number): string {
  if (unsealed === 0) return 'All events sealed'
  if (unsealed >= 1_000) return 'At least 1,000 events not sealed yet'
  return `${counted(unsealed, 'event')} not sealed yet`
}

/** 'All 20 up to date', '18 of 20 up to date' */
export function formatReaders(readers: readonly Pick<SystemReader, 'caughtUp' | 'rebuild'>[]): string {
  const behind = readers.filter(({ caughtUp, rebuild }) => !caughtUp || rebuild).length
  return behind === 0
    ? `All ${readers.length} up to date`
    : `${readers.length - behind} of ${readers.length} up to date`
}

/** '1,204 sent, none waiting' */
export function mailSummary({ folder, waiting, sent, failed }: System['mail']): string {
  if (folder !== null) return 'There is no mail server: nobody gets a mail'
  return `${formatCount(sent)} sent, ${waiting === 0 ? 'none' : formatCount(waiting)} waiting${failed === 0 ? '' : `, ${formatCount(failed)} failed`}`
}

/** 'Version 0.2.0, backup 3 h ago' */
export function installationSummary({ installation: { version, lastBackup }, at }: System): string {
  const backup = lastBackup ? `backup ${formatAge(Date.parse(at) - Date.parse(lastBackup.at))} ago` : 'no backup known'
  return `Version ${version}, ${backup}`
}

/** 'No. 12, 4 min ago. All events sealed' */
export function sealsSummary({ newest, unsealed }: System['seals'], at: number): string {
  const last = newest
    ? `No. ${formatCount(newest.number)}, ${formatAge(at - Date.parse(newest.sealedAt))} ago`
    : 'None yet'
  return `${last}. ${formatUnsealed(unsealed)}`
}

/** What is said where nothing outside would show that the whole data folder was set back. */
export const SEALS_BESIDE =
  'In the data folder, beside the log, and no witness sees them: whoever sets back the whole folder is not noticed. Set SEALS_DIR or SEALS_URL elsewhere, or WITNESS_POLICY.'

/** The problems of the proof, in two words. */
export const problemLabels: Readonly<Record<ProofProblemKind, string>> = {
  'log-altered': 'Log altered',
  'seals-lost': 'Seals lost',
  'read-model-altered': 'Read model altered',
  'sealing-stopped': 'Sealing stopped',
  'witness-contradicts': 'Witness contradicts',
  'witness-silent': 'Witness silent',
  'verification-overdue': 'Verification overdue',
  'record-altered': 'Record altered',
}
