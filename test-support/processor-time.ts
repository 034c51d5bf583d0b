import { readFileSync } from 'node:fs'

/** The processor time of a process so far in ms, NaN except on Linux, which counts in hundredths of a second. */
export function processorTime(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const [, afterName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user = Number.NaN, system = Number.NaN] = afterName.split(' ').slice(11, 13).map(Number)
  return (user + system) * 10
}
