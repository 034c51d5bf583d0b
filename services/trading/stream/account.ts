import { z } from 'zod'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type EventOf, defineEvents, type AppendedEvent, secret } from '#services/event-sourcing/event-definitions.ts'
import {
  type AccountId,
  accountId,
  enrolmentId,
  type FindingId,
  findingId,
  programmeId,
} from '#services/framework/ids.ts'
import { decisionRules } from '#services/rules/decision-version.ts'
import { type Cents, cents, centsOf, noMoney, toCents } from '#services/rules/money.ts'
import { accountStatuses, type LoginField, loginFields, platforms } from './account-vocabulary.ts'
import { loginTaken } from './login-claim.ts'
import { typedKinds } from './ledger-vocabulary.ts'
import { accountTerms, programmeTerms, stageIndex } from '#services/rules/programme.ts'
import {
  limitTextsOf,
  type ProgrammeStage,
  programmeStageOf,
  type StageBeginning,
  stageTermsOf,
} from './programme-stage.ts'
import { parseTarget } from './limit-text.ts'
import { type RiskLimits, riskLimits } from './risk-limits.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { breachEvidence, eventReference, type DecisionReason } from './decision-reason.ts'

/** The trading account: status, money, limits, platform login, eligibility (specification §3, §4). */

export const accountStatus = z.enum(accountStatuses)

export const platform = z.enum(platforms)

const platformLogin = z.object({ login: z.string().nullable(), server: z.string().nullable() })

/** Null where none was given. Like reasons of bans and notes of payouts it stays when a person is erased. */
const reason = z.string().nullable()

export const accountEvents = defineEvents({
  AccountOpened: { accountId },
  AccountStatusChanged: {
    from: accountStatus,
    to: accountStatus,
    reason,
    /** The evidence of a breach; null for any other status. */
    evidence: breachEvidence.nullable(),
    /** The breach that ended because it was a mistake. */
    corrects: eventReference.nullable(),
    /** The finding that led to it, for an account under a programme; null where a person decided. */
    finding: findingId.nullable().optional(),
  },
  /** A balance that was typed or reported, and what explains the difference. */
  BalanceChanged: { from: cents, to: cents, kind: z.enum(typedKinds) },
  ProfitLossChanged: { from: cents, to: cents },
  /** The name of the terms before, and the new ones; null for none. They begin with the balance of that moment. */
  TermsSet: { from: z.string().nullable(), terms: accountTerms.nullable() },
  /** The account is that of a stage of an enrolment: from now on its programme sets phase, limits and profit. */
  StageBegun: {
    enrolmentId,
    programme: programmeId,
    version: z.int(),
    hash: z.string(),
    stage: stageIndex,
    terms: programmeTerms,
    /** Payouts are enabled with it; its programme says so, or leaves it to the release that published it. */
    enablesPayouts: z.literal(true).optional(),
  },
  /** The stage is passed: its account closes with it, and keeps its status. */
  StagePassed: { enrolmentId, stage: stageIndex, name: z.string() },
  RiskLimitsChanged: { from: riskLimits, to: riskLimits, reason },
  PlatformChanged: { from: platform.nullable(), to: platform.nullable() },
  PlatformLoginAssigned: {
    from: platformLogin,
    to: platformLogin,
    masterPassword: secret(z.string().nullable()),
    /** The claim streams of the logins before and after, null where login or server is not known. */
    claims: z.object({ from: z.string().nullable(), to: z.string().nullable() }),
  },
  PhaseChanged: { from: z.string().nullable(), to: z.string().nullable() },
  /** A member of staff looked at the master password. */
  MasterPasswordShown: {},
  /** A member of staff downloaded the history of the account. */
  HistoryDownloaded: { format: z.enum(['json', 'csv']) },
  PayoutsEnabled: {},
  PayoutsDisabled: {},
  AccountClosed: {
    status: accountStatus,
    reason,
    /** Staff may have closed it before its user was deleted. */
    wasOpen: z.boolean(),
    /** By staff, because its stage is passed, or because its user was deleted. */
    cause: z.enum(['staff', 'passed', 'deletion']),
    /** The claim stream of its login, which is free again. */
    loginClaim: z.string().nullable(),
  },
  /** Staff closed the account with this login on the platform. */
  ClosedOnPlatform: platformLogin.shape,
  /** The account's claim on a login was taken over because it was not used; this makes a late writer decide again. */
  LoginClaimLapsed: { loginClaim: z.string() },
})

export type AccountEvent = EventOf<typeof accountEvents>
export type AccountStatus = z.infer<typeof accountStatus>
export type Platform = z.infer<typeof platform>
export type PlatformLogin = z.infer<typeof platformLogin>

/** A claim on a login that the account holds; `since` is when it was made, ms since 1970. */
export interface ActiveLoginClaim extends PlatformLogin {
  readonly loginClaim: string
  readonly since: number
}

export interface Account extends RiskLimits {
  /** Null until it is opened. */
  readonly id: AccountId | null
  /** Opened and not closed. */
  readonly open: boolean
  /** Closed because its user was deleted. */
  readonly erased: boolean
  readonly payoutsEnabled: boolean
  /** Ms since 1970. */
  readonly openedAt: number | null
  readonly status: AccountStatus
  /** The revision of the event that breached it, null while it is not breached: the one that may be corrected. */
  readonly breachRevision: number | null
  /** The finding that led to the status; null where none did. */
  readonly statusFinding: FindingId | null
  readonly balance: Cents
  readonly profitLoss: Cents
  readonly phase: string | null
  /** Null without a programme. */
  readonly programme: ProgrammeStage | null
  readonly platform: Platform | null
  readonly login: string | null
  readonly masterPassword: string | null
  readonly server: string | null
  /** The claim stream of the login, null where login or server is not known, and once it is closed. */
  readonly loginClaim: string | null
  /** Whether staff closed it on the platform since it got its login. */
  readonly closedOnPlatform: boolean
  /** When claims of this account's were taken over, ms since 1970. */
  readonly lapsedClaims: Readonly<Record<string, number>>
}

/** The defaults of a new account: balance 0.00, profitLoss 0.00, pending, payouts disabled (specification §4, §9). */
export const newAccount: Account = {
  id: null,
  open: false,
  erased: false,
  openedAt: null,
  status: 'pending',
  breachRevision: null,
  statusFinding: null,
  balance: noMoney,
  profitLoss: noMoney,
  phase: null,
  programme: null,
  platform: null,
  payoutsEnabled: false,
  login: null,
  masterPassword: null,
  server: null,
  loginClaim: null,
  closedOnPlatform: false,
  lapsedClaims: {},
  dailyDrawdownLimit: null,
  overallLossLimit: null,
  profitTarget: null,
}

/** The account after one of its own events. */
function evolve(account: Account, { type, data, at, revision, decisions }: AppendedEvent<AccountEvent>): Account {
  switch (type) {
    case 'AccountOpened':
      return { ...account, id: data.accountId, open: true, openedAt: at }
    case 'AccountStatusChanged':
      return {
        ...account,
        status: data.to,
        breachRevision: data.to === 'breached' ? revision : null,
        statusFinding: data.finding ?? null,
      }
    case 'BalanceChanged':
      return { ...account, balance: data.to, profitLoss: profitAfter(account, data) }
    case 'StageBegun': {
      const { terms, stage } = data
      const phase = stageTermsOf(terms, stage).name
      return {
        ...account,
        phase,
        ...limitTextsOf(terms, stage, decisions),
        profitLoss: noMoney,
        programme: programmeStageOf(data),
      }
    }
    case 'ProfitLossChanged':
      return { ...account, profitLoss: data.to }
    case 'RiskLimitsChanged':
      return { ...account, ...data.to }
    case 'PlatformChanged':
      return { ...account, platform: data.to }
    case 'PlatformLoginAssigned':
      return {
        ...account,
        ...data.to,
        masterPassword: data.masterPassword,
        loginClaim: data.claims.to,
        closedOnPlatform: account.closedOnPlatform && isSameLogin(data.from, data.to),
      }
    case 'ClosedOnPlatform':
      return { ...account, closedOnPlatform: true }
    case 'PhaseChanged':
      return { ...account, phase: data.to }
    case 'PayoutsEnabled':
      return { ...account, payoutsEnabled: true }
    case 'PayoutsDisabled':
      return { ...account, payoutsEnabled: false }
    case 'TermsSet':
    case 'StagePassed':
    case 'MasterPasswordShown':
    case 'HistoryDownloaded':
      return account
    case 'AccountClosed':
      return {
        ...account,
        open: false,
        erased: data.cause === 'deletion',
        payoutsEnabled: false,
        masterPassword: null,
        loginClaim: null,
      }
    case 'LoginClaimLapsed':
      return { ...account, lapsedClaims: { ...account.lapsedClaims, [data.loginClaim]: at } }
  }
}

/** With a programme the profit is what trading moved; without one staff set it. */
export function profitAfter<Amount extends number>(
  { programme, profitLoss }: { readonly programme: object | null; readonly profitLoss: Amount },
  { from, to, kind }: { readonly from: number; readonly to: number; readonly kind: string },
) {
  return programme && kind === 'trade-result' ? toCents(profitLoss + to - from) : profitLoss
}

export const accountDecider: Decider<Account, AccountEvent> = { initial: newAccount, evolve }

type Settable = RiskLimits &
  Pick<Account, 'balance' | 'profitLoss' | 'status' | 'phase' | 'platform' | 'login' | 'masterPassword' | 'server'> & {
    readonly payoutEnabled: boolean
  }

/** The fields that an administrator may set; missing ones stay as they are. */
export type AccountChanges = { readonly [Field in keyof Settable]?: Settable[Field] | undefined }

/** Opens an account that its user was assigned; one that is open or was closed stays as it is. */
export function openAccount(account: Account, id: AccountId): AccountEvent[] {
  return account.id ? [] : [{ type: 'AccountOpened', data: { accountId: id } }]
}

/** Terms that leave it to staff, and other stages, never do: so the verifier needs no programme. */
function isEnablingPayouts({ terms, stage, enablesPayouts }: StageBeginning): boolean {
  return enablesPayouts === true && terms.payoutsEnabled !== 'by-staff' && stageTermsOf(terms, stage).funded
}

/** Begins a stage in a new account, or in one on which nothing was set. It begins with the account size. */
export function beginStageIn(account: Account, id: AccountId, beginning: StageBeginning): AccountEvent[] {
  if (account.programme) return []
  const opening = openAccount(account, id)
  if (opening.length === 0) assertOpen(account)
  const size = centsOf(beginning.terms.accountSize)
  const { balance } = account
  return [
    ...opening,
    ...(balance === size
      ? []
      : [{ type: 'BalanceChanged' as const, data: { from: balance, to: size, kind: 'deposit' as const } }]),
    { type: 'StageBegun', data: beginning },
    ...(isEnablingPayouts(beginning) ? [{ type: 'PayoutsEnabled' as const, data: {} }] : []),
  ]
}

/**
 * One event for each thing that changes, none when nothing does. Any status may follow any other (specification §4).
 * The reason, which is optional, goes into a new status and into new limits. `claim` is the account's claim on its new
 * login, null where login or server is not known.
 *
 * @param version Of the decisions.
 */
export function changeAccount(
  account: Account,
  wanted: AccountChanges,
  why: DecisionReason = {},
  claim: ActiveLoginClaim | null = null,
  version?: number,
): AccountEvent[] {
  assertOpen(account)
  const changes = account.programme ? leftToStaff(account, wanted) : wanted
  if (why.evidence && changes.status !== 'breached')
    throw new Refused('invalid', 'Evidence belongs to a breach', 'evidence')
  if (why.corrects && (changes.status === undefined || changes.status === 'breached'))
    throw new Refused('invalid', 'A breach is corrected by another status', 'corrects')
  const {
    balance = account.balance,
    profitLoss = account.profitLoss,
    status = account.status,
    phase = account.phase,
    platform = account.platform,
    payoutEnabled = account.payoutsEnabled,
  } = changes
  const events: AccountEvent[] = []
  if (balance !== account.balance) {
    const isDeposit = account.balance === 0 && !account.programme
    const kind = isDeposit ? 'deposit' : phase === account.phase ? 'trade-result' : 'correction'
    events.push({ type: 'BalanceChanged', data: { from: account.balance, to: balance, kind } })
  }
  if (profitLoss !== account.profitLoss)
    events.push({ type: 'ProfitLossChanged', data: { from: account.profitLoss, to: profitLoss } })
  if (platform !== account.platform)
    events.push({ type: 'PlatformChanged', data: { from: account.platform, to: platform } })
  events.push(...platformLoginChange(account, changes, claim), ...riskLimitsChange(account, changes, why))
  if (phase !== account.phase) events.push({ type: 'PhaseChanged', data: { from: account.phase, to: phase } })
  if (status !== account.status) events.push(statusChange(account, status, why))
  else if (account.programme && status === 'pending' && assignsLogin(account, changes, version))
    // Its platform login is what a pending account of a programme waited for: nobody decides against the rules.
    events.push(statusChange({ ...account, programme: null }, 'active', why))
  if (payoutEnabled !== account.payoutsEnabled)
    events.push({ type: payoutEnabled ? 'PayoutsEnabled' : 'PayoutsDisabled', data: {} })
  return events
}

/**
 * The changes without what the account's programme sets: forms send it unchanged.
 *
 * @throws {Refused} conflict, for a change of it
 */
function leftToStaff(account: Account, wanted: AccountChanges): AccountChanges {
  const { profitLoss, phase, dailyDrawdownLimit, overallLossLimit, profitTarget, ...changes } = wanted
  const isSame = {
    profitLoss: profitLoss === undefined || profitLoss === account.profitLoss,
    phase: phase === undefined || phase === account.phase,
    dailyDrawdownLimit: dailyDrawdownLimit === undefined || dailyDrawdownLimit === account.dailyDrawdownLimit,
    overallLossLimit: overallLossLimit === undefined || overallLossLimit === account.overallLossLimit,
    profitTarget: profitTarget === undefined || isSameTarget(profitTarget, account.profitTarget),
  }
  const changed = Object.entries(isSame).find(([, same]) => !same)
  if (changed) throw setByProgramme(changed[0])
  if (changes.payoutEnabled && !account.payoutsEnabled && !account.programme?.funded)
    throw new Refused(
      'conflict',
      `Payouts begin with the funded stage of the programme: this account is in ${account.phase}`,
      'payoutEnabled',
    )
  return changes
}

/** A request may send a target as a number: 8000 is "8000.00". */
function isSameTarget(one: string | null, other: string | null): boolean {
  return one === other || (parseTarget(one)?.amount ?? null) === (parseTarget(other)?.amount ?? NaN)
}

/** The account's programme sets what a request wants to change. */
export function setByProgramme(field: string): Refused {
  return new Refused('conflict', "This account's programme sets it", field)
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
  const decided = account.programme ? { ...why, finding: null } : why
  return { type: 'AccountStatusChanged', data: { from: account.status, to, ...decided } }
}

function platformLoginChange(
  account: Account,
  changes: AccountChanges,
  claim: ActiveLoginClaim | null,
): AccountEvent[] {
  const from = { login: account.login, server: account.server }
  const to = platformLoginAfter(account, changes)
  const { masterPassword = account.masterPassword } = changes
  const isSame = isSameLogin(to, from)
  if (isSame && masterPassword === account.masterPassword) return []
  const claims = { from: account.loginClaim, to: isSame ? account.loginClaim : usableClaim(account, to, claim) }
  return [{ type: 'PlatformLoginAssigned', data: { from, to, masterPassword, claims } }]
}

/** Whether two are one login on one server. */
export function isSameLogin(one: PlatformLogin, other: PlatformLogin): boolean {
  return one.login === other.login && one.server === other.server
}

/** The fields of the platform login that an account lacks. */
export function missingOfLogin(account: Readonly<Record<LoginField, string | null>>): LoginField[] {
  return loginFields.filter((field) => account[field] === null)
}

/** Whether a change completes what the trader signs in with on the platform. */
function assignsLogin(account: Account, changes: AccountChanges, version: number | undefined): boolean {
  if (decisionRules(version).activatesByLoginAlone) return account.login === null && Boolean(changes.login)
  const { platform = account.platform, masterPassword = account.masterPassword } = changes
  const after = { platform, masterPassword, ...platformLoginAfter(account, changes) }
  return missingOfLogin(account).length > 0 && missingOfLogin(after).length === 0
}

/** The login that an account has after a change. */
export function platformLoginAfter(account: PlatformLogin, changes: AccountChanges): PlatformLogin {
  const { login = account.login, server = account.server } = changes
  return { login, server }
}

/** @throws {Refused} conflict, when the account's login was changed, or the claim taken over, since it was made. */
function usableClaim(account: Account, to: PlatformLogin, claim: ActiveLoginClaim | null): string | null {
  if (to.login === null || to.server === null) return null
  if (claim?.login !== to.login || claim.server !== to.server)
    throw new Refused('conflict', 'The login of this account was changed meanwhile. Please look at it again.', 'login')
  const lapsedAt = account.lapsedClaims[claim.loginClaim]
  if (lapsedAt !== undefined && lapsedAt >= claim.since) throw loginTaken()
  return claim.loginClaim
}

/** Makes a late use of this claim fail, once it has been taken over. */
export function lapseLoginClaim(loginClaim: string): AccountEvent[] {
  return [{ type: 'LoginClaimLapsed', data: { loginClaim } }]
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
  assertOpen(account)
  if (account.masterPassword === null) throw new Refused('not-found', 'This account has no master password')
  return [{ type: 'MasterPasswordShown', data: {} }]
}

/** Closes an account for good. Staff say why. */
export function closeAccount(account: Account, reason: string): AccountEvent[] {
  assertOpen(account)
  return [
    {
      type: 'AccountClosed',
      data: { status: account.status, reason, wasOpen: true, cause: 'staff', loginClaim: account.loginClaim },
    },
  ]
}

/**
 * Passes the stage that the account is in, and closes the account with the status that it has: the next stage has an
 * account of its own.
 *
 * @throws {Refused} not-found, conflict
 */
export function passStage(account: Account): AccountEvent[] {
  assertOpen(account)
  const { programme, phase, status, loginClaim } = account
  if (!programme) throw new Refused('conflict', 'This account has no programme: it passes no stage')
  if (programme.funded) throw new Refused('conflict', 'A funded stage is not passed')
  if (status === 'breached') throw new Refused('conflict', 'A breached account passes no stage')
  return [
    { type: 'StagePassed', data: { enrolmentId: programme.enrolmentId, stage: programme.stage, name: phase ?? '' } },
    { type: 'AccountClosed', data: { status, reason: null, wasOpen: true, cause: 'passed', loginClaim } },
  ]
}

/**
 * Records that staff closed the account on the platform, once: nobody trades on a breached or closed account.
 *
 * @throws {Refused} not-found, conflict
 */
export function closeOnPlatform({ id, open, status, login, server, closedOnPlatform }: Account): AccountEvent[] {
  if (!id) throw accountNotFound()
  if (open && status !== 'breached')
    throw new Refused('conflict', 'This account is neither breached nor closed: its trader may trade on it')
  if (login === null) throw new Refused('conflict', 'This account has no login on a platform')
  return closedOnPlatform ? [] : [{ type: 'ClosedOnPlatform', data: { login, server } }]
}

/** Closes the account of a deleted user; one that is closed already, as well: nothing of it may be read any more. */
export function eraseAccount(account: Account): AccountEvent[] {
  if (!account.id || account.erased) return []
  const { status, open: wasOpen, loginClaim } = account
  return [{ type: 'AccountClosed', data: { status, reason: null, wasOpen, cause: 'deletion', loginClaim } }]
}

/** @throws {Refused} not-found, for an account that never was or was erased; conflict, for one that staff closed. */
export function assertOpen(account: Pick<Account, 'id' | 'open' | 'erased'>): void {
  if (!account.id || account.erased) throw accountNotFound()
  if (!account.open) throw new Refused('conflict', 'This account is closed')
}

/** The same for an account of another trader, for none, and for one of a deleted user. */
export function accountNotFound(): Refused {
  return new Refused('not-found', 'Account not found')
}
