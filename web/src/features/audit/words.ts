import { accountField, type AccountFieldKind, accountFieldNames, eachField, isAccountField } from '../../../../services/api/account-fields.ts'
import type { AuditActor, AuditChange, AuditFact, AuditValue } from '../../../../services/api/audit-schemas.ts'
import type { BreachEvidence } from '../../../../services/api/breach-schemas.ts'
import { eventTitles, traderTitles } from '../../../../services/api/event-titles.ts'
import { adminRoleLabels, adminRoles } from '../../../../services/api/vocabulary.ts'
import { countryName } from '../../format/countries.ts'
import { formatDate } from '../../format/dates.ts'
import { formatLimit, formatMoney, formatProfit } from '../../format/money.ts'
import { accountStatusLabel, breachRuleName, payoutStatusLabel } from '../../format/status.ts'
import { methodName } from '../payouts/methods.ts'

/** Events in plain words. */

/** The title of a type of event for its reader; a type that this page does not know yet reads as its own name. */
export function titleOf(type: string, reader: Audience = 'auditor'): string {
  const own = reader === 'trader' ? traderTitles.get(type) : undefined
  return own ?? eventTitles.get(type) ?? `${type.charAt(0)}${type.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`
}

const labels: Readonly<Record<string, string>> = {
  ...eachField(accountFieldNames, (_, { label }) => label),
  payoutEnabled: 'Payouts',
  overallLossLimit: 'Maximum Loss Limit',
  fullName: 'Name',
  email: 'Email',
  country: 'Country',
  city: 'City',
  street: 'Street',
  houseNumber: 'House Number',
  privacyPolicyAgreed: 'Privacy policy',
  banned: 'Access',
  banReason: 'Ban Reason',
  deleted: 'User',
  createdAt: 'Created',
  amount: 'Amount',
  paymentMethod: 'Payment Method',
  paymentDetails: 'Payment Details',
  adminNotes: 'Notes',
  decidedAt: 'Decided',
  name: 'Certificate Name',
  issuedAt: 'Issued',
  uploadedAt: 'Added',
  revokedAt: 'Revoked',
  link: 'Public link',
  label: 'Name',
  role: 'Role',
  expiresAt: 'Expires',
  revoked: 'Access key',
  approvals: 'Approvals',
  list: 'List',
  filter: 'Only those with the status',
  searched: 'Search',
  format: 'File',
  passkeyName: 'Passkey',
  recoveryCodesLeft: 'Codes left',
  browser: 'Browser',
  networkAddress: 'Address',
}

/** The label of a field, by the last part of its path. */
export function labelOf(field: string): string {
  const name = field.split('.').at(-1) ?? field
  return labels[name] ?? name
}

/** Shown where nothing is set. */
export const NOT_SET = 'not set'

/** What a field may hold. */
export type Scalar = Exclude<AuditValue, object> | null

/** What a field held, as people read it. The path tells an account's status from a payout's. */
export function formatValue(field: string, value: Scalar): string {
  const name = field.split('.').at(-1) ?? field
  if (value === null || value === '') return name === 'link' ? 'none' : NOT_SET
  if (value === 'erased') return value
  const format = isAccountField(name) && !field.startsWith('payouts') ? accountFormats[accountField(name).kind] : formats[name]
  return format ? format(String(value)) : String(value)
}

type Format = (text: string) => string

const either =
  (yes: string, no: string): Format =>
  (text) =>
    text === 'true' ? yes : no
const exactTime: Format = (text) => formatDate(text, 'exact')
const limit: Format = (text) => formatLimit(text) ?? NOT_SET

const accountFormats: Readonly<Record<AccountFieldKind, Format>> = {
  money: formatMoney,
  profit: formatProfit,
  limit,
  target: limit,
  status: (text) => accountStatusLabel(text).label,
  switch: either('Enabled', 'Disabled'),
  // Only that there is one.
  secret: () => '••••••••',
  text: (text) => text,
}

/** Of fields that are not the account's, by the last part of their path; others are shown as they are. */
const formats: Readonly<Record<string, Format>> = {
  status: (text) => payoutStatusLabel(text).label,
  amount: formatMoney,
  privacyPolicyAgreed: either('Agreed', 'Not asked'),
  banned: either('Banned', 'Active'),
  deleted: either('Deleted', 'Not deleted'),
  revoked: either('Revoked', 'Valid'),
  role: (text) => {
    const role = adminRoles.find((each) => each === text)
    return role ? adminRoleLabels[role] : text
  },
  searched: () => 'Something was searched for',
  country: countryName,
  paymentMethod: methodName,
  issuedAt: (text) => formatDate(text, 'words'),
  createdAt: exactTime,
  decidedAt: exactTime,
  uploadedAt: exactTime,
  revokedAt: exactTime,
  expiresAt: exactTime,
}

/** One field of an event in words. Without `from` the whole object was added. */
export interface ChangeDescription {
  /** The path of the field. */
  readonly field: string
  readonly label: string
  readonly from?: string
  readonly to: string
}

/** The changes of an event. An object added as a whole is shown field by field, without its empty fields. */
export function describeChanges(changes: readonly AuditChange[]): readonly ChangeDescription[] {
  return changes.flatMap(({ field, from, to }): readonly ChangeDescription[] => {
    if (typeof to === 'object' && to !== null) return addedFields(field, to)
    if (typeof from === 'object' && from !== null) return [{ field, label: labelOf(field), from: 'present', to: 'removed' }]
    const [label, after] = [labelOf(field), formatValue(field, to)]
    return [
      from === null && WITHOUT_BEFORE.has(field.split('.').at(-1) ?? '')
        ? { field, label, to: after }
        : { field, label, from: formatValue(field, from), to: after },
    ]
  })
}

/** Fields of what someone did: of a sign-in, or a download. Nothing was there before. */
const WITHOUT_BEFORE: ReadonlySet<string> = new Set(['browser', 'networkAddress', 'list', 'filter', 'searched', 'format'])

/** Not shown for an added object: its id is beside it, and its status says that it is undecided. */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set(['id', 'createdAt', 'uploadedAt', 'decidedAt', 'adminNotes'])

function addedFields(path: string, value: Readonly<Record<string, Scalar>>): readonly ChangeDescription[] {
  return Object.entries(value).flatMap(([name, one]) =>
    HIDDEN_FIELDS.has(name) || one === null || one === '' ? [] : [{ field: `${path}.${name}`, label: labelOf(name), to: formatValue(`${path}.${name}`, one) }],
  )
}

/** Which payout or certificate an event is about, by the end of its id: 'p2'. */
export function subjectSuffixOf({ changes }: Pick<AuditFact, 'changes'>): string | undefined {
  const [, id] = /^(?:payouts|certificates)\.([^.]+)/.exec(changes[0]?.field ?? '') ?? []
  return id?.split('-').at(-1)
}

/** Why, in words; null without a reason. A refused access key has a code instead of a reason. */
export function reasonOf({ type, reason }: Pick<AuditFact, 'type' | 'reason'>): string | null {
  return type === 'AdminSignInRefused' && reason !== null ? (refusals[reason] ?? reason) : reason
}

const refusals: Readonly<Record<string, string>> = { unknown: 'No access key matches', revoked: 'The access key is revoked' }

/** What a breach was seen by. */
export function formatEvidence({ rule, limit, value, occurredAt }: BreachEvidence): string {
  return `${breachRuleName(rule)}: ${formatLimit(value)} against ${formatLimit(limit)}, ${formatDate(occurredAt, 'exact')}`
}

/** The reader: an auditor sees names, a trader does not. */
export type Audience = 'auditor' | 'trader'

/** Who did something: its word, and what tells one of them from another. */
export function describeActor({ kind, label }: AuditActor, reader: Audience): { readonly word: string; readonly name: string | undefined } {
  if (kind === 'system') return { word: 'Proofdesk', name: label === 'system' || label === '' ? undefined : label }
  if (kind === 'trader') return { word: reader === 'trader' ? 'You' : 'The trader', name: undefined }
  // For traders the label is 'admin 0123456789ab', a hash.
  return { word: 'Administrator', name: reader === 'trader' ? label.replace(/^admin /, '') : label }
}
