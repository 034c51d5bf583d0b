import { type AccountFieldName, auditFields } from '#services/modules/accounts/account-fields.ts'
import type { AuditAccount, AuditState } from '#services/modules/audit/audit-api.ts'
import { accountName } from '@/features/accounts/account-name.ts'
import { formatDate } from '@/format/dates.ts'
import { formatValue, labelOf, type Scalar } from './words.ts'

/** A person and their accounts at a moment, in the order people read it, and two moments beside each other. */

export interface StateRow {
  /** The path of its field, or of the payout or certificate. */
  readonly field: string
  readonly label: string
  /** In words. */
  readonly value: string
  /** The status itself, for its badge. */
  readonly status?: string
  /** Smaller lines below the value. */
  readonly more?: readonly string[]
  /** The value that is compared: a secret that is never shown may change. */
  readonly raw: string
}

export interface StateSection {
  readonly title: string
  readonly rows: readonly StateRow[]
  /** Shown when it has no rows. */
  readonly empty: string
}

/** An account, or the person: a heading with its sections below it. */
export interface StateGroup {
  /** The account's id, or 'user'. */
  readonly id: string
  readonly title: string
  readonly sections: readonly StateSection[]
}

const identityFields = [
  'fullName',
  'email',
  'country',
  'city',
  'street',
  'houseNumber',
  'banned',
  'banReason',
  'createdAt',
] as const

/** Everything that was true at a moment: each account, the newest first, then the person. */
export function groupsOf({ user, accounts }: AuditState): readonly StateGroup[] {
  return [
    ...(accounts.length === 0 ? [noAccount] : []),
    ...accounts.toReversed().map((account) => ({
      id: account.id,
      title: accountName(account),
      sections: accountSections(account),
    })),
    {
      id: 'user',
      title: 'Person',
      sections: [
        {
          title: 'Identity',
          rows: user === null ? [] : fieldRows('user', identityFields, user),
          empty: 'The user did not exist yet.',
        },
      ],
    },
  ]
}

const noAccount: StateGroup = {
  id: 'none',
  title: 'Accounts',
  sections: [{ title: 'Account', rows: [], empty: 'No account was opened yet.' }],
}

function accountSections(account: AuditAccount): readonly StateSection[] {
  const { payouts, certificates } = account
  const fields = (names: readonly (AccountFieldName | 'open')[]) => fieldRows('account', names, account)
  return [
    { title: 'Account', rows: fields([...auditFields.account, 'open']), empty: '' },
    { title: 'Limits', rows: fields(auditFields.limits), empty: '' },
    {
      title: 'Payouts',
      empty: 'No payouts yet.',
      rows: payouts.map(({ id, amount, paymentMethod, paymentDetails, status, adminNotes, createdAt, decidedAt }) => ({
        field: `payouts.${id}`,
        raw: [status, adminNotes, decidedAt, paymentDetails].join('\n'),
        label: `Payout ${shortOf(id)}`,
        value: `${formatValue('payouts.amount', amount)} by ${formatValue('payouts.paymentMethod', paymentMethod)}`,
        status,
        more: [
          ...(paymentDetails === '' ? [] : [paymentDetails]),
          `Requested ${formatDate(createdAt, 'exact')}`,
          ...(decidedAt === null ? [] : [`Decided ${formatDate(decidedAt, 'exact')}`]),
          ...(adminNotes ? [`Notes: ${adminNotes}`] : []),
        ],
      })),
    },
    {
      title: 'Certificates',
      empty: 'No certificates yet.',
      rows: certificates.map(({ id, name, issuedAt, revokedAt, link }) => ({
        field: `certificates.${id}`,
        raw: JSON.stringify([name, revokedAt, link]),
        label: `Certificate ${shortOf(id)}`,
        value: name,
        more: [
          `Issued ${formatValue('certificates.issuedAt', issuedAt)}`,
          ...(revokedAt === null ? [] : [`Revoked ${formatValue('certificates.revokedAt', revokedAt)}`]),
          ...(link === null ? [] : [`Shared ${link}`]),
        ],
      })),
    },
    { title: 'Trading platform', rows: fields(auditFields.platform), empty: '' },
  ]
}

function fieldRows<Name extends string>(
  of: 'account' | 'user',
  names: readonly Name[],
  values: Readonly<Record<Name, Scalar>>,
): readonly StateRow[] {
  return names.map((name) => ({
    field: `${of}.${name}`,
    label: labelOf(name),
    value: formatValue(`${of}.${name}`, values[name]),
    raw: String(values[name]),
    ...(name === 'status' && { status: String(values[name]) }),
  }))
}

/** A row at two moments. */
export interface ComparedRow {
  readonly field: string
  readonly label: string
  /** Undefined where it was not there. */
  readonly earlier: StateRow | undefined
  readonly later: StateRow | undefined
  readonly differs: boolean
}

export interface ComparedSection {
  readonly title: string
  readonly rows: readonly ComparedRow[]
}

export interface ComparedGroup {
  readonly id: string
  readonly title: string
  readonly sections: readonly ComparedSection[]
}

/** Two moments row by row; what was added between them takes its later position. */
export function compared(earlier: AuditState, later: AuditState): readonly ComparedGroup[] {
  const groupsBefore = new Map(groupsOf(earlier).map((group) => [group.id, group]))
  return groupsOf(later).map(({ id, title, sections }) => ({
    id,
    title,
    sections: sections.map((section, index) => ({
      title: section.title,
      rows: comparedRows(groupsBefore.get(id)?.sections[index]?.rows ?? [], section.rows),
    })),
  }))
}

function comparedRows(earlier: readonly StateRow[], later: readonly StateRow[]): readonly ComparedRow[] {
  const before = new Map(earlier.map((row) => [row.field, row]))
  const after = new Map(later.map((row) => [row.field, row]))
  const fields = new Set([...before.keys(), ...after.keys()])
  return [...fields].map((field) => {
    const [first, second] = [before.get(field), after.get(field)]
    return {
      field,
      label: (second ?? first)?.label ?? field,
      earlier: first,
      later: second,
      differs: first?.raw !== second?.raw,
    }
  })
}

/** The end of an id, which tells one payout of an account from another: 'p2'. */
function shortOf(id: string): string {
  return id.split('-').at(-1) ?? id
}
