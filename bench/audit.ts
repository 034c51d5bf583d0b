import { auditOutcome } from './audit-run.ts'
import { runChild } from './children.ts'
import { atLeast, type Figure, type Subject } from './figures.ts'
import { median, quantile, ratio, whole } from './statistics.ts'

const EVENTS = 10_000
const ROUNDS = 41
const CHANGES = 4_000

/** How fast the auditor's questions are answered, and what sealing costs those who decide. */
export const audit: Subject = {
  name: 'audit',
  about: `an account of ${whole(EVENTS)} facts at any moment and its first page, a whole log verified, ${whole(CHANGES)} changes sealed`,

  async measure(): Promise<readonly Figure[]> {
    const { took, bytes } = await runChild('audit', { events: EVENTS, rounds: ROUNDS, changes: CHANGES }, auditOutcome)
    const times = (name: string) => took[name] ?? []
    const ms = (name: string) => `${median(times(name)).toFixed(2)} ms`
    const moment = quantile(times('moment'), 0.95) / quantile(times('fold'), 0.95)
    const page = ratio(times('page'), times('read'))
    const verify = ratio(times('sha'), times('verify'))
    const sealing = ratio(times('seal'), times('change'))
    return [
      { what: 'a moment, p95 as a multiple of folding all in memory', value: moment.toFixed(2), target: { text: '≤ 2', met: moment <= 2 } },
      { what: '  each', value: `moment ${ms('moment')}, folding ${ms('fold')}` },
      { what: 'the first page, as a multiple of reading 100', value: page.text, target: { text: '< 1.5', met: page.median < 1.5 } },
      { what: '  each', value: `page ${ms('page')}, reading ${ms('read')}` },
      { what: 'verifying the log, as a share of the speed of SHA-256', value: verify.text, target: atLeast(verify.median, 0.5) },
      { what: '  each', value: `verifying ${ms('verify')}, SHA-256 ${ms('sha')}, ${(bytes / 1e6).toFixed(1)} MB` },
      { what: 'sealing, as a share of the time that the changes took', value: sealing.text, target: { text: '< 0.05', met: sealing.median < 0.05 } },
    ]
  },
}
