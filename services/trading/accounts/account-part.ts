import { type RecordField, recordPart } from '#services/framework/shown-state.ts'
import { AuditAccountFields } from './account-api.ts'
import { type AccountFieldKind, auditFieldNames, auditSections, eachField } from './account-fields.ts'
import { accountResponse } from './account-response.ts'
import { accountStatusLabels, accountStatusTones, platformLabels } from '#services/trading/stream/account-vocabulary.ts'
import { entryKindLabels } from '#services/trading/stream/ledger-vocabulary.ts'
import { programmeText } from '#services/trading/stream/programme-stage.ts'
import type { Account } from '#services/trading/stream/account.ts'

const kinds: Readonly<Record<AccountFieldKind, Pick<RecordField, 'kind' | 'words' | 'tones'>>> = {
  money: { kind: 'money' },
  profit: { kind: 'profit' },
  limit: { kind: 'limit' },
  target: { kind: 'limit' },
  text: { kind: 'text' },
  secret: { kind: 'secret' },
  switch: { kind: 'choice', words: { true: 'Enabled', false: 'Disabled' } },
  status: { kind: 'status', words: accountStatusLabels, tones: accountStatusTones },
  platform: { kind: 'choice', words: platformLabels },
}

const fields = eachField(auditFieldNames, (name, { label, kind }): RecordField => ({
  label,
  ...kinds[kind],
  section: auditSections[name],
}))

/** The account itself at a moment, as people read it. */
export const accountPart = recordPart({
  schema: AuditAccountFields,
  fields: {
    ...fields,
    phase: { ...fields.phase, inTitle: true },
    login: { ...fields.login, inTitle: true },
    payoutEnabled: { ...fields.payoutEnabled, label: 'Payouts' },
    overallLossLimit: { ...fields.overallLossLimit, label: 'Maximum Loss Limit' },
    programme: { label: 'Programme', kind: 'text', unset: 'none', section: 'Account' },
    open: {
      label: 'Account',
      kind: 'choice',
      words: { true: 'Open', false: 'Closed' },
      begins: true,
      section: 'Account',
    },
  },
  onlyInChanges: {
    entry: { label: 'Entry', kind: 'choice', words: entryKindLabels, ofAction: true },
    decidedBy: {
      label: 'Decided',
      kind: 'choice',
      words: { person: 'By a person', finding: 'On a finding of the rules' },
      ofAction: true,
    },
  },
  show: (account: Account) => ({
    open: account.open,
    ...accountResponse({ ...account, payoutEnabled: account.payoutsEnabled }),
    programme: account.programme && programmeText(account.programme.name, account.programme.version),
    masterPassword: account.masterPassword,
  }),
})
