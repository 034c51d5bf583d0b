import { STATEMENT_FIELD } from '#services/trading/imports/import-api.ts'

export interface StatementFields {
  readonly kind: string
  /** A text is sent as it is. */
  readonly mapping: object | string
  readonly account?: string
}

/** The form that uploads a statement. */
export function statementForm(content: string | Uint8Array<ArrayBuffer>, fields: StatementFields): FormData {
  const { kind, mapping, account } = fields
  const form = new FormData()
  form.append('kind', kind)
  form.append('mapping', typeof mapping === 'string' ? mapping : JSON.stringify(mapping))
  if (account !== undefined) form.append('account', account)
  form.append(STATEMENT_FIELD, new Blob([content], { type: 'text/csv' }), 'statement.csv')
  return form
}

/** The form that uploads a statement whose format is recognised. */
export function uploadForm(content: Uint8Array | string, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append(STATEMENT_FIELD, new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), 'statement')
  return form
}
