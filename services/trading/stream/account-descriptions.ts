import { toDecimal } from '#services/rules/money.ts'
import { change, changesBetween, type EventDescriptions } from '#services/framework/event-description.ts'
import { HIDDEN } from '#services/framework/api/text.ts'
import { accountStatusLabels } from './account-vocabulary.ts'
import type { AccountEvent } from './account.ts'
import type { RiskLimits } from './risk-limits.ts'
import { limitTextsOf, programmeText, stageTermsOf } from './programme-stage.ts'
import type { LoginClaimEvent } from './login-claim.ts'

export const accountDescriptions = {
  AccountOpened: {
    title: 'Account opened',
    category: 'identity',
    changes: () => [change('account.open', false, true)],
    marker: () => 'Account opened',
  },
  AccountStatusChanged: {
    title: 'Account status changed',
    category: 'status',
    changes: ({ data: { from, to, finding } }) => [
      change('account.status', from, to),
      ...(finding === undefined ? [] : [change('account.decidedBy', null, finding === null ? 'person' : 'finding')]),
    ],
    reason: ({ reason }) => reason,
    corrects: ({ corrects }) => corrects?.number ?? null,
    marker: ({ from, to, corrects }) =>
      `Status: ${accountStatusLabels[from]} to ${accountStatusLabels[to]}${corrects ? `, corrects #${corrects.number}` : ''}`,
    mail: true,
    notice: 'status',
  },
  BalanceChanged: {
    title: 'Balance changed',
    category: 'balance',
    ofDay: 'Trading of the day',
    changes: ({ data }) => [
      // A deposit, a fee or a correction is no trading: a history shows it on its own.
      ...(data.kind === 'trade-result' ? [] : [change('account.entry', null, data.kind)]),
      change('account.balance', toDecimal(data.from), toDecimal(data.to)),
    ],
  },
  ProfitLossChanged: {
    title: 'Profit/loss changed',
    category: 'balance',
    ofDay: 'Trading of the day',
    changes: ({ data }) => [change('account.profitLoss', toDecimal(data.from), toDecimal(data.to))],
  },
  RiskLimitsChanged: {
    title: 'Limits changed',
    category: 'limits',
    changes: ({ data }) => changesBetween('account', data.from, data.to),
    reason: ({ reason }) => reason,
    marker: ({ from, to }) => limitsMarker(from, to),
    mail: true,
    notice: 'limits',
  },
  PlatformChanged: {
    title: 'Platform changed',
    category: 'platform',
    changes: ({ data }) => [change('account.platform', data.from, data.to)],
  },
  PlatformLoginAssigned: {
    title: 'Platform login changed',
    category: 'platform',
    changes: ({ data: { from, to, masterPassword } }) => {
      const visible = changesBetween('account', from, to)
      // The event does not say what the master password was before, or whether it is another one now.
      return visible.length > 0
        ? visible
        : [change('account.masterPassword', HIDDEN, masterPassword === null ? null : HIDDEN)]
    },
    marker: () => 'Platform login assigned',
    mail: true,
    notice: 'login',
  },
  MasterPasswordShown: {
    title: 'Master password shown',
    traderTitle: 'Staff looked at your trading password',
    category: 'disclosures',
  },
  HistoryDownloaded: {
    title: 'History downloaded',
    traderTitle: 'Staff downloaded your history',
    category: 'disclosures',
    changes: ({ data }) => [change('history.format', null, data.format)],
  },
  PhaseChanged: {
    title: 'Phase changed',
    category: 'phase',
    changes: ({ data }) => [change('account.phase', data.from, data.to)],
    marker: ({ from, to }) => `Phase: ${fromTo(from, to)}`,
    mail: true,
    notice: 'phase',
  },
  StageBegun: {
    title: 'Stage of a programme begun',
    category: 'phase',
    changes: ({ data: { terms, version, stage }, decisions }) => [
      change('account.programme', null, programmeText(terms.name, version)),
      change('account.phase', null, stageTermsOf(terms, stage).name),
      ...changesBetween('account', noLimits, { ...limitTextsOf(terms, stage, decisions) }),
    ],
    marker: ({ terms, stage }) => `Phase: ${stageTermsOf(terms, stage).name}`,
    notice: 'phase',
  },
  StagePassed: {
    title: 'Stage of a programme passed',
    category: 'phase',
    changes: ({ data: { name } }) => [change('passedStage.name', null, name)],
    marker: ({ name }) => `${name} passed`,
    mail: true,
    notice: 'phase',
  },
  ClosedOnPlatform: {
    title: 'Account closed on the platform',
    category: 'platform',
    changes: ({ data: { login } }) => [change('platformAccount.login', null, login)],
  },
  TermsSet: {
    title: 'Payout terms set',
    category: 'eligibility',
    changes: ({ data: { from, terms } }) =>
      from === (terms?.name ?? null) ? [] : [change('stage.terms', from, terms?.name ?? null)],
  },
  PayoutsEnabled: {
    title: 'Payouts enabled',
    category: 'eligibility',
    changes: () => [change('account.payoutEnabled', false, true)],
    marker: () => 'Payouts enabled',
    mail: true,
    notice: 'eligibility',
  },
  PayoutsDisabled: {
    title: 'Payouts disabled',
    category: 'eligibility',
    changes: () => [change('account.payoutEnabled', true, false)],
    marker: () => 'Payouts disabled',
    notice: 'eligibility',
  },
  AccountClosed: {
    title: 'Account closed',
    category: 'identity',
    changes: ({ data }) => (data.wasOpen ? [change('account.open', true, false)] : []),
    reason: ({ reason }) => reason,
    marker: () => 'Account closed',
  },
  LoginClaimLapsed: { title: 'Claim on a login lapsed', category: 'logins' },
} as const satisfies EventDescriptions<AccountEvent>

export const loginClaimDescriptions = {
  LoginClaimed: { title: 'Platform login claimed', category: 'logins' },
  LoginReleased: { title: 'Platform login released', category: 'logins' },
} as const satisfies EventDescriptions<LoginClaimEvent>

const noLimits = { dailyDrawdownLimit: null, overallLossLimit: null, profitTarget: null }

const limitNames = {
  dailyDrawdownLimit: 'Daily drawdown limit',
  overallLossLimit: 'Maximum loss limit',
  profitTarget: 'Profit target',
} as const

function limitsMarker(from: RiskLimits, to: RiskLimits): string {
  return (['dailyDrawdownLimit', 'overallLossLimit', 'profitTarget'] as const)
    .filter((limit) => from[limit] !== to[limit])
    .map((limit) => `${limitNames[limit]}: ${fromTo(from[limit], to[limit])}`)
    .join('; ')
}

function fromTo(from: string | null, to: string | null): string {
  return `${from ?? 'none'} to ${to ?? 'none'}`
}
