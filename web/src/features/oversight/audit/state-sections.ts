import { accountParts } from '#services/oversight/audit/account-parts.ts'
import type { AuditAccount, AuditState } from '#services/oversight/audit/audit-api.ts'
import { isList } from '#services/framework/shown-state.ts'
import type {
  ItemField,
  Part,
  RecordField,
  Scalar,
  ShownContent,
  ShownItem,
  ShownRecord,
} from '#services/framework/shown-state.ts'
import { userPart } from '#services/identity/users/user-part.ts'
import { accountLabel } from '@/format/account-name.ts'
import type { StatusLabel } from '@/format/status.ts'
import { endOf, formatAs, statusLabel } from './words.ts'

/** A person and their accounts at a moment, in the order people read it, and two moments beside each other. */

export interface StateRow {
  /** The path of its field, or of the item of a list. */
  readonly field: string
  readonly label: string
  /** In words; empty where a status says it all. */
  readonly value: string
  readonly status?: StatusLabel
  readonly isSecret?: boolean
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

/** Everything that was true at a moment: each account, the newest first, then the person. */
export function groupsOf({ user, accounts }: AuditState): readonly StateGroup[] {
  return [
    ...(accounts.length === 0 ? [noAccount] : []),
    ...accounts.toReversed().map((account) => ({
      id: account.id,
      title: titleOfAccount(account),
      sections: accountSections(account),
    })),
    { id: 'user', title: 'Person', sections: recordSections('user', userPart.fields, user, NOBODY) },
  ]
}

const NOBODY = 'The user did not exist yet.'

const noAccount: StateGroup = {
  id: 'none',
  title: 'Accounts',
  sections: [{ title: 'Account', rows: [], empty: 'No account was opened yet.' }],
}

/** 'Account 2 · Funded · 50123456', without what is not known. */
export function titleOfAccount({ id, ...contents }: AuditAccount): string {
  const named = partsOf(contents).flatMap(({ part, content }) =>
    part.form === 'record' && !isList(content)
      ? Object.entries(part.fields).flatMap(([name, { inTitle }]) => (inTitle ? [content[name]] : []))
      : [],
  )
  return [accountLabel(id), ...named].filter(Boolean).join(' · ')
}

interface PartAtMoment {
  readonly name: string
  readonly part: Part
  readonly content: ShownContent
}

/** The parts that subjects declare, with what an account has of each. */
function partsOf(contents: Omit<AuditAccount, 'id'>): readonly PartAtMoment[] {
  const found = new Map(Object.entries<ShownContent>(contents))
  return Object.entries<Part>(accountParts).map(([name, part]) => ({ name, part, content: found.get(name) ?? [] }))
}

/** The sections of an account, in the order of its parts. */
export function accountSections({ id: _id, ...contents }: AuditAccount): readonly StateSection[] {
  return partsOf(contents).flatMap(({ name, part, content }) =>
    part.form === 'record'
      ? recordSections(name, part.fields, isList(content) ? null : content)
      : [listSection(name, part, isList(content) ? content : [])],
  )
}

function recordSections(
  of: string,
  fields: Readonly<Record<string, RecordField>>,
  values: ShownRecord | null,
  empty = '',
): readonly StateSection[] {
  const titles = new Set(Object.values(fields).flatMap(({ section }) => section ?? []))
  const rowsOf = (title: string, record: ShownRecord) =>
    Object.entries(fields).flatMap(([name, field]) =>
      field.section === title ? [fieldRow(`${of}.${name}`, field, record[name] ?? null)] : [],
    )
  return [...titles].map((title) => ({ title, rows: values === null ? [] : rowsOf(title, values), empty }))
}

function fieldRow(path: string, field: RecordField, value: Scalar): StateRow {
  return {
    field: path,
    label: field.label,
    raw: String(value),
    ...(field.kind === 'status'
      ? { value: '', status: statusLabel(field, value) }
      : { value: formatAs(field, value), isSecret: field.kind === 'secret' }),
  }
}

function listSection(of: string, part: Extract<Part, { form: 'list' }>, items: readonly ShownItem[]): StateSection {
  const fields = Object.entries<ItemField>(part.fields)
  return {
    title: part.title,
    empty: part.empty,
    rows: items.map((item) => {
      /** In words, with what stands before it. */
      const texts = (place: ItemField['place']) =>
        fields.flatMap(([name, field]) => {
          const value = item[name] ?? null
          if (field.place !== place || value === null || value === '') return []
          return [[field.lead, formatAs(field, value)].filter(Boolean).join(' ')]
        })
      const [status] = fields.flatMap(([name, field]) =>
        field.place === 'status' ? [statusLabel(field, item[name] ?? null)] : [],
      )
      return {
        field: `${of}.${item.id}`,
        label: `${part.item} ${endOf(item.id)}`,
        value: texts('value').join(' '),
        raw: JSON.stringify(item),
        more: texts('line'),
        ...(status && { status }),
      }
    }),
  }
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
