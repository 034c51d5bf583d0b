import { z } from 'zod'
import { type EventOf, defineEvents, type AppendedEvent, secret } from '#services/event-sourcing/event-definitions.ts'
import { type UserId, userId } from '#services/modules/ids.ts'
import { type Cents, cents, noMoney } from '#services/money/money.ts'
import { accountStatuses } from './account-vocabulary.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { breachEvidence, eventReference, type DecisionReason } from './decision-reason.ts'

/** The trading account: status, money, limits, platform login, eligibility (specification §3, §4). */

export const accountStatus = z.enum(accountStatuses)

/** Free text such as '5% / $500'; the target is kept as text too (specification §3). */
const riskLimits = z.object({
  dailyDrawdownLimit: z.string().nullable(),
  overallLossLimit: z.string().nullable(),
  profitTarget: z.string().nullable(),
})

const platformLogin = z.object({ login: z.string().nullable(), server: z.string().nullable() })

/** Null where none was given. Like reasons of bans and notes of payouts it stays when a person is erased. */
const reason = z.string().nullable()

export const accountEvents = defineEvents({
  AccountOpened: { userId },
  AccountStatusChanged: {
    from: accountStatus,
    to: accountStatus,
    reason,
    /** Of a breach. */
    evidence: breachEvidence.nullable(),
    /** The breach that ended because it was a mistake. */
    corrects: eventReference.nullable(),
  },
  BalanceChanged: { from: cents, to: cents },
  ProfitLossChanged: { from: cents, to: cents },
  RiskLimitsChanged: { from: riskLimits, to: riskLimits, reason },
  PlatformLoginAssigned: { from: platformLogin, to: platformLogin, masterPassword: secret(z.string().nullable()) },
  PhaseChanged: { from: z.string().nullable(), to: z.string().nullable() },
  /** A member of staff looked at the master password. */
  MasterPasswordShown: {},
  /** A member of staff downloaded the history of the account. */
  HistoryDownloaded: { format: z.enum(['json', 'csv']) },
  PayoutsEnabled: {},
  PayoutsDisabled: {},
  AccountClosed: { status: accountStatus },
})

export type AccountEvent = EventOf<typeof accountEvents>
export type AccountStatus = z.infer<typeof accountStatus>
export type RiskLimits = z.infer<typeof riskLimits>

export interface Account extends RiskLimits {
  readonly userId: UserId | null
  /** Opened and not closed. */
  readonly open: boolean
  readonly payoutsEnabled: boolean
  /** Ms since 1970. */
  readonly openedAt: number | null
  readonly status: AccountStatus
  /** The revision of the event that breached it, null while it is not breached: the one that may be corrected. */
  readonly breachRevision: number | null
  readonly balance: Cents
  readonly profitLoss: Cents
  readonly phase: string | null
  readonly login: string | null
  readonly masterPassword: string | null
  readonly server: string | null
}

/** The defaults of a new account: balance 0.00, profitLoss 0.00, pending, payouts disabled (specification §4, §9). */
export const newAccount: Account = {
  userId: null,
  open: false,
  openedAt: null,
  status: 'pending',
  breachRevision: null,
  balance: noMoney,
  profitLoss: noMoney,
  phase: null,
  payoutsEnabled: false,
  login: null,
  masterPassword: null,
  server: null,
  dailyDrawdownLimit: null,
  overallLossLimit: null,
  profitTarget: null,
}

/** The account after one of its own events. */
export function evolveAccount<State extends Account>(
  account: State,
  { type, data, at, revision }: AppendedEvent<AccountEvent>,
): State {
  switch (type) {
    case 'AccountOpened':
      return { ...account, userId: data.userId, open: true, openedAt: at }
    case 'AccountStatusChanged':
      return { ...account, status: data.to, breachRevision: data.to === 'breached' ? revision : null }
    case 'BalanceChanged':
      return { ...account, balance: data.to }
    case 'ProfitLossChanged':
      return { ...account, profitLoss: data.to }
    case 'RiskLimitsChanged':
      return { ...account, ...data.to }
    case 'PlatformLoginAssigned':
      return { ...account, ...data.to, masterPassword: data.masterPassword }
    case 'PhaseChanged':
      return { ...account, phase: data.to }
    case 'PayoutsEnabled':
      return { ...account, payoutsEnabled: true }
    case 'PayoutsDisabled':
      return { ...account, payoutsEnabled: false }
    case 'MasterPasswordShown':
    case 'HistoryDownloaded':
      return account
    case 'AccountClosed':
      return { ...account, open: false, payoutsEnabled: false, masterPassword: null }
  }
}

type Settable = RiskLimits &
  Pick<Account, 'balance' | 'profitLoss' | 'status' | 'phase' | 'login' | 'masterPassword' | 'server'> & {
    readonly payoutEnabled: boolean
  }

/** The fields that an administrator may set; missing ones stay as they are. */
export type AccountChanges = { readonly [Field in keyof Settable]?: Settable[Field] | undefined }

/** Opens the account of a new user; one that is open or was closed stays as it is. */
export function openAccount(account: Account, owner: UserId): AccountEvent[] {
  return account.userId ? [] : [{ type: 'AccountOpened', data: { userId: owner } }]
}

/**
 * One event for each thing that changes, none when nothing does. Any status may follow any other (specification §4).
 * The reason, which is optional, goes into a new status and into new limits.
 */
export function changeAccount(account: Account, changes: AccountChanges, why: DecisionReason = {}): AccountEvent[] {
  if (!account.open) throw new Refused('not-found', 'User not found')
  if (why.evidence && changes.status !== 'breached')
    throw new Refused('invalid', 'Evidence belongs to a breach', 'evidence')
  if (why.corrects && (changes.status === undefined || changes.status === 'breached'))
    throw new Refused('invalid', 'A breach is corrected by another status', 'corrects')
  const {
    balance = account.balance,
    profitLoss = account.profitLoss,
    status = account.status,
    phase = account.phase,
    payoutEnabled = account.payoutsEnabled,
  } = changes
  const events: AccountEvent[] = []
  if (balance !== account.balance) events.push({ type: 'BalanceChanged', data: { from: account.balance, to: balance } })
  if (profitLoss !== account.profitLoss)
    events.push({ type: 'ProfitLossChanged', data: { from: account.profitLoss, to: profitLoss } })
  events.push(...platformLoginChange(account, changes), ...riskLimitsChange(account, changes, why))
  if (phase !== account.phase) events.push({ type: 'PhaseChanged', data: { from: account.phase, to: phase } })
  if (status !== account.status) events.push(statusChange(account, status, why))
  if (payoutEnabled !== account.payoutsEnabled)
    events.push({ type: payoutEnabled ? 'PayoutsEnabled' : 'PayoutsDisabled', data: {} })
  return events
}

/** A correction names the current breach of the account, and says what was wrong with it. */
function statusChange(
  account: Account,
  to: AccountStatus,
  { reason, evidence, corrects }: DecisionReason,
): AccountEvent {
  if (corrects && corrects.revision !== account.breachRevision)
    throw new Refused('conflict', `Event #${corrects.number} is not the current breach of this account`, 'corrects')
  if (corrects && !reason) throw new Refused('invalid', 'Please say why the breach was a mistake', 'reason')
  const why = { reason: reason || null, evidence: evidence ?? null, corrects: corrects ?? null }
  return { type: 'AccountStatusChanged', data: { from: account.status, to, ...why } }
}

function platformLoginChange(account: Account, changes: AccountChanges): AccountEvent[] {
  const { login = account.login, server = account.server, masterPassword = account.masterPassword } = changes
  if (login === account.login && server === account.server && masterPassword === account.masterPassword) return []
  const from = { login: account.login, server: account.server }
  return [{ type: 'PlatformLoginAssigned', data: { from, to: { login, server }, masterPassword } }]
}

function riskLimitsChange(account: Account, changes: AccountChanges, { reason }: DecisionReason): AccountEvent[] {
  const from = limitsOf(account)
  const {
    dailyDrawdownLimit = from.dailyDrawdownLimit,
    overallLossLimit = from.overallLossLimit,
    profitTarget = from.profitTarget,
  } = changes
  const to = { dailyDrawdownLimit, overallLossLimit, profitTarget }
  const same =
    to.dailyDrawdownLimit === from.dailyDrawdownLimit &&
    to.overallLossLimit === from.overallLossLimit &&
    to.profitTarget === from.profitTarget
  return same ? [] : [{ type: 'RiskLimitsChanged', data: { from, to, reason: reason || null } }]
}

function limitsOf({ dailyDrawdownLimit, overallLossLimit, profitTarget }: Account): RiskLimits {
  return { dailyDrawdownLimit, overallLossLimit, profitTarget }
}

/** Records that a member of staff looks at the master password. */
export function showMasterPassword(account: Account): AccountEvent[] {
  if (!account.open) throw new Refused('not-found', 'User not found')
  if (account.masterPassword === null) throw new Refused('not-found', 'This account has no master password')
  return [{ type: 'MasterPasswordShown', data: {} }]
}

/** Closes an account for good; one that is closed stays as it is. */
export function closeAccount(account: Account): AccountEvent[] {
  return account.open ? [{ type: 'AccountClosed', data: { status: account.status } }] : []
}
