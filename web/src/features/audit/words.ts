import {
  accountField,
  type AccountFieldKind,
  accountFieldNames,
  eachField,
  isAccountField,
} from '#services/modules/accounts/account-fields.ts'
import type { AuditActor, AuditChange, AuditFact, AuditValue } from '#services/modules/audit/audit-api.ts'
import type { BreachEvidence } from '#services/modules/accounts/account-api.ts'
import { adminRoleLabels, adminRoles } from '#services/modules/staff/staff-vocabulary.ts'
// oxlint-disable-next-line no-restricted-imports -- this loads with the pages of the history only
import { eventTitles, traderTitles } from '#services/modules/subjects.ts'
import { countryName } from '@/format/countries.ts'
import { formatDate } from '@/format/dates.ts'
import { formatLimit, formatMoney, formatProfit } from '@/format/money.ts'
import { accountStatusLabel, breachRuleName, payoutStatusLabel, platformName } from '@/format/status.ts'
import { accountLabel } from '@/features/accounts/account-name.ts'
import { methodName } from '@/features/payouts/methods.ts'

/** Events in plain words. */

/** The title of a type of event for its reader; a type that this page does not know yet reads as its own name. */
export function titleOf(type: string, reader: Audience = 'auditor'): string {
  const own = reader === 'trader' ? traderTitles.get(type) : undefined
  return (
    own ??
    eventTitles.get(type) ??
    `${type.charAt(0)}${type.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`
  )
}

type Format = (text: string) => string

const either =
  (yes: string, no: string): Format =>
  (text) =>
    text === 'true' ? yes : no
const exactTime: Format = (text) => formatDate(text, 'exact')
const limit: Format = (text) => formatLimit(text) ?? NOT_SET

interface FieldWords {
  readonly label: string
  /** Its values in words; without one they are shown as they are. */
  readonly format?: Format
  /** Of what someone did, such as a sign-in or a download: nothing was there before. */
  readonly ofAction?: true
  /** Left out where a whole object was added: its id is beside it, and its status says that it is undecided. */
  readonly hiddenInObject?: true
}

/** Fields by the last part of their path. Values of the account's fields are shown by their kind. */
const fields: Readonly<Record<string, FieldWords>> = {
  ...eachField(accountFieldNames, (_, { label }) => ({ label })),
  payoutEnabled: { label: 'Payouts' },
  open: { label: 'Account', format: either('Open', 'Closed') },
  overallLossLimit: { label: 'Maximum Loss Limit' },
  // Of a payout.
  status: { label: accountField('status').label, format: (text) => payoutStatusLabel(text).label },
  fullName: { label: 'Name' },
  email: { label: 'Email' },
  country: { label: 'Country', format: countryName },
  city: { label: 'City' },
  street: { label: 'Street' },
  houseNumber: { label: 'House Number' },
  privacyPolicyAgreed: { label: 'Privacy policy', format: either('Agreed', 'Not asked') },
  banned: { label: 'Access', format: either('Banned', 'Active') },
  banReason: { label: 'Ban Reason' },
  deleted: { label: 'User', format: either('Deleted', 'Not deleted') },
  id: { label: 'id', hiddenInObject: true },
  createdAt: { label: 'Created', format: exactTime, hiddenInObject: true },
  amount: { label: 'Amount', format: formatMoney },
  paymentMethod: { label: 'Payment Method', format: methodName },
  paymentDetails: { label: 'Payment Details' },
  adminNotes: { label: 'Notes', hiddenInObject: true },
  decidedAt: { label: 'Decided', format: exactTime, hiddenInObject: true },
  name: { label: 'Certificate Name' },
  issuedAt: { label: 'Issued', format: (text) => formatDate(text, 'words') },
  uploadedAt: { label: 'Added', format: exactTime, hiddenInObject: true },
  revokedAt: { label: 'Revoked', format: exactTime },
  link: { label: 'Public link' },
  label: { label: 'Name' },
  role: { label: 'Role', format: roleName },
  expiresAt: { label: 'Expires', format: exactTime },
  member: { label: 'Id of the member', ofAction: true },
  revoked: { label: 'Access key', format: either('Revoked', 'Valid') },
  approvals: { label: 'Approvals' },
  list: { label: 'List', ofAction: true },
  filter: { label: 'Only those with the status', ofAction: true },
  searched: { label: 'Search', format: () => 'Something was searched for', ofAction: true },
  format: { label: 'File', ofAction: true },
  passkeyName: { label: 'Passkey' },
  recoveryCodesLeft: { label: 'Codes left' },
  browser: { label: 'Browser', ofAction: true },
  networkAddress: { label: 'Address', ofAction: true },
}

const accountFormats: Readonly<Record<AccountFieldKind, Format>> = {
  money: formatMoney,
  profit: formatProfit,
  limit,
  target: limit,
  status: (text) => accountStatusLabel(text).label,
  switch: either('Enabled', 'Disabled'),
  platform: platformName,
  // Only that there is one.
  secret: () => '••••••••',
  text: (text) => text,
}

function roleName(text: string): string {
  const role = adminRoles.find((each) => each === text)
  return role ? adminRoleLabels[role] : text
}

function nameOf(path: string): string {
  return path.split('.').at(-1) ?? path
}

/** The label of a field, by the last part of its path. */
export function labelOf(path: string): string {
  return fields[nameOf(path)]?.label ?? nameOf(path)
}

/** Shown where nothing is set. */
export const NOT_SET = 'not set'

/** What a field may hold. */
export type Scalar = Exclude<AuditValue, object> | null

/** What a field held, as people read it. The path tells an account's status from a payout's. */
export function formatValue(path: string, value: Scalar): string {
  const name = nameOf(path)
  if (value === null || value === '') return name === 'link' ? 'none' : NOT_SET
  if (value === 'erased') return value
  const format =
    isAccountField(name) && !path.startsWith('payouts') ? accountFormats[accountField(name).kind] : fields[name]?.format
  return format ? format(String(value)) : String(value)
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
    const label = labelOf(field)
    if (typeof from === 'object' && from !== null) return [{ field, label, from: 'present', to: 'removed' }]
    const isNew = from === null && fields[nameOf(field)]?.ofAction
    return [{ field, label, ...(!isNew && { from: formatValue(field, from) }), to: formatValue(field, to) }]
  })
}

function addedFields(path: string, value: Readonly<Record<string, Scalar>>): readonly ChangeDescription[] {
  return Object.entries(value).flatMap(([name, one]) => {
    const field = `${path}.${name}`
    return fields[name]?.hiddenInObject || one === null || one === ''
      ? []
      : [{ field, label: labelOf(name), to: formatValue(field, one) }]
  })
}

/** Which payout or certificate an event is about, by the end of its id, and if asked which account: 'Account 2, p1'. */
export function subjectOf(
  { accountId, changes }: Pick<AuditFact, 'accountId' | 'changes'>,
  namesAccount: boolean,
): string {
  const account = namesAccount && accountId !== null ? accountLabel(accountId) : undefined
  const [, id] = /^(?:payouts|certificates)\.([^.]+)/.exec(changes[0]?.field ?? '') ?? []
  return [account, id?.split('-').at(-1)].filter(Boolean).join(', ')
}

/** Why, in words; null without a reason. A refused access key has a code instead of a reason. */
export function reasonOf({ type, reason }: Pick<AuditFact, 'type' | 'reason'>): string | null {
  return type === 'AdminSignInRefused' && reason !== null ? (refusals[reason] ?? reason) : reason
}

const refusals: Readonly<Record<string, string>> = {
  unknown: 'No access key matches',
  revoked: 'The access key is revoked',
}

/** What a breach was seen by. */
export function formatEvidence({ rule, limit, value, occurredAt }: BreachEvidence): string {
  return `${breachRuleName(rule)}: ${formatLimit(value)} against ${formatLimit(limit)}, ${formatDate(occurredAt, 'exact')}`
}

/** The reader: an auditor sees names, a trader does not. */
export type Audience = 'auditor' | 'trader'

/** Who did something: its word, and what tells one of them from another. */
export function describeActor(
  { kind, label }: AuditActor,
  reader: Audience,
): { readonly word: string; readonly name: string | undefined } {
  if (kind === 'system') return { word: 'Proofdesk', name: label === 'system' || label === '' ? undefined : label }
  if (kind === 'trader') return { word: reader === 'trader' ? 'You' : 'The trader', name: undefined }
  // For traders the label is 'admin 0123456789ab', a hash.
  return { word: 'Administrator', name: reader === 'trader' ? label.replace(/^admin /, '') : label }
}
