/**
 * Values that fields may have, each with its label: defined once for events, schemas, screens, mails and files. Without
 * imports, so that a browser's first page need not load the schemas.
 */

export const accountStatuses = ['pending', 'active', 'under-review', 'breached'] as const
export const accountStatusLabels: Labels<typeof accountStatuses> = {
  pending: 'Pending',
  active: 'Active',
  'under-review': 'Under Review',
  breached: 'Breached',
}

export const payoutStatuses = ['pending', 'approved', 'rejected'] as const
export const payoutStatusLabels: Labels<typeof payoutStatuses> = { pending: 'Pending', approved: 'Approved', rejected: 'Rejected' }

/** Ways to be paid (specification §9). */
export const payoutMethods = ['bank', 'paypal', 'crypto', 'skrill'] as const
export const payoutMethodLabels: Labels<typeof payoutMethods> = { bank: 'Bank Transfer', paypal: 'PayPal', crypto: 'Cryptocurrency', skrill: 'Skrill' }

/** The rules that an account can break (specification §3, §9). */
export const breachRules = ['daily-drawdown', 'overall-loss', 'profit-target', 'other'] as const
export const breachRuleLabels: Labels<typeof breachRules> = {
  'daily-drawdown': 'Daily Drawdown',
  'overall-loss': 'Maximum Loss',
  'profit-target': 'Profit Target',
  other: 'Another rule',
}

/** The roles of staff: services/api/permissions.ts says what each may do. An auditor sees and changes nothing. */
export const adminRoles = ['admin', 'payouts', 'support', 'auditor'] as const
export const adminRoleLabels: Labels<typeof adminRoles> = { admin: 'Administrator', payouts: 'Payouts', support: 'Support', auditor: 'Auditor' }

/** The lists that staff download as files. */
export const downloadedLists = ['users', 'payouts'] as const

/** The kinds of mail that traders may choose. Mails about passwords, email addresses and bans are always sent. */
export const noticeKinds = ['status', 'limits', 'phase', 'eligibility', 'verdicts', 'certificates'] as const
export const noticeKindLabels: Labels<typeof noticeKinds> = {
  status: 'Breaches, corrections and reviews',
  limits: 'Changed limits',
  phase: 'A new phase',
  eligibility: 'Payouts enabled',
  verdicts: 'Payouts approved or rejected',
  certificates: 'Certificates issued or revoked',
}

type Labels<Values extends readonly string[]> = Readonly<Record<Values[number], string>>
