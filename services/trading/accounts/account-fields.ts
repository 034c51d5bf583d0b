/**
 * The fields of a trading account (specification §3): what each holds, what it is called, how forms and files show it,
 * and which events record it. Schemas, responses, the read model, exports, forms and the audit are derived from here.
 * Imports nothing, so that a browser's first page need not load the schemas.
 */

/**
 * How a field is stored, sent and shown. A limit is a text such as '5% / $500', a target a text that is usually an
 * amount; a secret is shown to few.
 */
export type AccountFieldKind =
  | 'money'
  | 'profit'
  | 'status'
  | 'switch'
  | 'platform'
  | 'text'
  | 'limit'
  | 'target'
  | 'secret'

export interface AccountField {
  readonly kind: AccountFieldKind
  readonly label: string
  /** The label in forms, if different. */
  readonly formLabel?: string
  /** The heading in CSV files, if different. */
  readonly heading?: string
  readonly hint?: string
  /** Shown in a monospaced font, since people copy it by hand. */
  readonly mono?: true
  /** The events that record it. */
  readonly events: readonly string[]
}

/** In the order in which requests are validated and messages reported. */
export const accountFields = {
  balance: { kind: 'money', label: 'Balance', hint: 'US dollars', events: ['BalanceChanged'] },
  profitLoss: {
    kind: 'profit',
    label: 'Profit/Loss',
    hint: 'US dollars, with a minus sign below zero',
    events: ['ProfitLossChanged'],
  },
  status: {
    kind: 'status',
    label: 'Status',
    formLabel: 'Account Status',
    heading: 'Account Status',
    events: ['AccountStatusChanged'],
  },
  payoutEnabled: {
    kind: 'switch',
    label: 'Payouts Enabled',
    heading: 'Payouts',
    events: ['PayoutsEnabled', 'PayoutsDisabled'],
  },
  platform: { kind: 'platform', label: 'Platform', events: ['PlatformChanged'] },
  login: { kind: 'text', label: 'Login', heading: 'Broker Login', mono: true, events: ['PlatformLoginAssigned'] },
  masterPassword: { kind: 'secret', label: 'Master Password', mono: true, events: ['PlatformLoginAssigned'] },
  server: { kind: 'text', label: 'Server', events: ['PlatformLoginAssigned'] },
  phase: { kind: 'text', label: 'Phase', hint: 'Such as Phase 1, Evaluation, Funded', events: ['PhaseChanged'] },
  dailyDrawdownLimit: {
    kind: 'limit',
    label: 'Daily Drawdown Limit',
    hint: 'Such as 5% / $500',
    events: ['RiskLimitsChanged'],
  },
  // The specification's name; all screens but the details and forms of administrators call it Maximum Loss.
  overallLossLimit: {
    kind: 'limit',
    label: 'Overall Loss Limit',
    hint: 'Such as 10% / $1000. Traders see it as Maximum Loss',
    events: ['RiskLimitsChanged'],
  },
  profitTarget: { kind: 'target', label: 'Profit Target', hint: 'Such as 1000', events: ['RiskLimitsChanged'] },
} as const satisfies Readonly<Record<string, AccountField>>

export type AccountFieldName = keyof typeof accountFields
type KindOf<Name extends AccountFieldName> = (typeof accountFields)[Name]['kind']
/** All but the secrets. */
export type PublicFieldName = {
  [Name in AccountFieldName]: KindOf<Name> extends 'secret' ? never : Name
}[AccountFieldName]

/** The order in answers; the compiler requires every field that is no secret. */
export const responseFields = complete([
  'balance',
  'profitLoss',
  'profitTarget',
  'dailyDrawdownLimit',
  'overallLossLimit',
  'status',
  'phase',
  'platform',
  'login',
  'server',
  'payoutEnabled',
])

/** The forms in which administrators set the fields; traders set none. */
export const accountForms = {
  status: ['status', 'payoutEnabled', 'balance', 'profitLoss'],
  platform: ['platform', 'login', 'masterPassword', 'server', 'phase'],
  risk: ['dailyDrawdownLimit', 'overallLossLimit', 'profitTarget'],
} as const satisfies FieldLists

/** The programme of an account sets these fields, and staff do not. */
export const fieldsOfProgramme: readonly AccountFieldName[] = [
  'phase',
  'profitLoss',
  'dailyDrawdownLimit',
  'overallLossLimit',
  'profitTarget',
]

/** The sections of the administrators' details of a user. */
export const detailFields = {
  status: ['status', 'phase', 'balance', 'profitLoss', 'profitTarget', 'payoutEnabled'],
  platform: ['platform', 'login', 'masterPassword', 'server'],
  risk: ['dailyDrawdownLimit', 'overallLossLimit', 'profitTarget'],
} as const satisfies FieldLists

/** The sections of an account at a moment, for auditors and its owner, in their order. */
export const auditSections = {
  status: 'Account',
  phase: 'Account',
  balance: 'Account',
  profitLoss: 'Account',
  payoutEnabled: 'Account',
  dailyDrawdownLimit: 'Limits',
  overallLossLimit: 'Limits',
  profitTarget: 'Limits',
  platform: 'Trading platform',
  login: 'Trading platform',
  server: 'Trading platform',
  masterPassword: 'Trading platform',
} as const satisfies Readonly<Record<AccountFieldName, string>>

/** The columns of the export of users. */
export const exportFields = [
  'platform',
  'login',
  'status',
  'phase',
  'payoutEnabled',
  'balance',
  'profitLoss',
  'profitTarget',
  'dailyDrawdownLimit',
  'overallLossLimit',
] as const satisfies readonly PublicFieldName[]

type FieldLists = Readonly<Record<string, readonly AccountFieldName[]>>

/** The row of a field. */
export function accountField(name: AccountFieldName): AccountField {
  return accountFields[name]
}

export function isAccountField(name: string): name is AccountFieldName {
  return Object.hasOwn(accountFields, name)
}

type Makers = Readonly<Record<AccountFieldKind, (field: AccountField) => unknown>>
type Made<Name extends AccountFieldName, By extends Makers> = { [Each in Name]: ReturnType<By[KindOf<Each>]> }

/** An object with a value for each of these fields. */
export function eachField<Name extends AccountFieldName, Value>(
  names: readonly Name[],
  make: (name: Name, field: AccountField) => Value,
): Record<Name, Value> {
  const result: Partial<Record<Name, Value>> = {}
  for (const name of names) result[name] = make(name, accountFields[name])
  // TypeScript cannot see that the loop sets every name.
  return result as Record<Name, Value>
}

/** An object with a value for each of these fields by its kind: the shape of a schema. */
export function byKind<Name extends AccountFieldName, By extends Makers>(
  names: readonly Name[],
  makers: By,
): Made<Name, By> {
  // Nor that each value has its kind's type.
  return eachField(names, (_, field) => makers[field.kind](field)) as Made<Name, By>
}

/** Every field, in the order of the table. */
export const accountFieldNames: readonly AccountFieldName[] = Object.keys(accountFields).filter(isAccountField)

/** Every field, in the order of an account at a moment. */
export const auditFieldNames: readonly AccountFieldName[] = Object.keys(auditSections).filter(isAccountField)

function complete<const Names extends readonly PublicFieldName[]>(
  names: Names & ([PublicFieldName] extends [Names[number]] ? unknown : never),
): Names {
  return names
}
