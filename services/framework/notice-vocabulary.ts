import type { Labels } from '#services/framework/api/options.ts'

/** The kinds of mail that traders may choose. Mails about passwords, email addresses and bans are always sent. */
export const noticeKinds = [
  'status',
  'limits',
  'phase',
  'eligibility',
  'verdicts',
  'payments',
  'certificates',
  'login',
  'near-limits',
  'hits',
] as const
export const noticeKindLabels: Labels<typeof noticeKinds> = {
  status: 'Breaches, corrections and reviews',
  limits: 'Changed limits',
  phase: 'A new phase',
  eligibility: 'Payouts enabled',
  verdicts: 'Payouts approved or rejected',
  payments: 'Payments sent, made, failed or returned',
  certificates: 'Certificates issued or revoked',
  login: 'A platform login that is ready',
  'near-limits': 'A limit that is close',
  hits: 'Trades that hit a rule: a pause, a warning, or profit that does not count',
}
