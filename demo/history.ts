import { createHash } from 'node:crypto'
import { makeClaim, releaseClaim } from '#services/event-sourcing/claim.ts'
import {
  accountStreams,
  type AccountState,
  changeByStaff,
  endAccount,
} from '#services/trading/stream/account-aggregate.ts'
import {
  type AccountChanges,
  type ActiveLoginClaim,
  beginStageIn,
  closeOnPlatform,
  openAccount,
  platformLoginAfter,
} from '#services/trading/stream/account.ts'
import { loginClaimKind, loginClaims } from '#services/trading/stream/login-claim.ts'
import type { DecisionReason } from '#services/trading/stream/decision-reason.ts'
import { issueCertificate, nextCertificateId } from '#services/trading/stream/certificate.ts'
import type { StageBeginning } from '#services/trading/stream/programme-stage.ts'
import type { Enrolment } from '#services/identity/users/enrolment.ts'
import { assignOrder, orderStreams, receiveOrder } from '#services/trading/enrolments/order.ts'
import { confirmFinding, dismissFinding, reviewFindings } from '#services/trading/stream/finding.ts'
import {
  type AccountId,
  accountIdOf,
  accountOf,
  adminKeyId,
  type BatchId,
  findingIdOf,
  type OrderId,
  ownerOf,
  type PayoutId,
  payoutId,
  type ProgrammeId,
  type ProgramKeyId,
  type UserId,
  userOfEnrolment,
} from '#services/framework/ids.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'
import { presets } from '#services/programmes/programmes/presets.ts'
import {
  draftProgramme,
  draftVersion,
  existingVersion,
  offeredVersion,
  programmeStreams,
  publishPreset,
  publishVersion,
  recordTrial,
} from '#services/programmes/programmes/programme.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { issueProgramKey, apiKeyStreams } from '#services/identity/api-keys/api-key.ts'
import type { KeyScope } from '#services/identity/api-keys/api-key-vocabulary.ts'
import type { Observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { toCents } from '#services/rules/money.ts'
import {
  type Batch,
  type BatchItem,
  batchStreams,
  beginRelease,
  cancelBatch,
  endRelease,
  makeBatch,
  removeItem,
} from '#services/payments/batches/batch.ts'
import type { BatchFormat } from '#services/payments/batches/batch-vocabulary.ts'
import { paymentFile } from '#services/payments/batches/files/payment-file.ts'
import {
  FIRM_ACCOUNT_ID,
  type FirmAccount,
  firmAccounts,
  setFirmAccount,
} from '#services/payments/batches/firm-account.ts'
import { plannedItem, whyGone } from '#services/payments/batches/server/batch-plan.ts'
import { hashOf, orderOf } from '#services/payments/batches/server/batch-work.ts'
import type { Destination } from '#services/trading/stream/destination.ts'
import { isOwed, type PaymentMove } from '#services/trading/stream/payment.ts'
import {
  type Approver,
  approvePayout,
  HELD_BY_BAN,
  holdAllPayouts,
  holdPayout,
  movePayoutPayment,
  type Payout,
  type PayoutMethod,
  rejectPayout,
  requestPayout,
  withdrawPayout,
} from '#services/trading/stream/payout.ts'
import {
  type AdminRole,
  issueAdminKey,
  revokeAdminKey,
  signInAdmin,
  adminKeyStreams,
} from '#services/identity/staff/access-key.ts'
import { type AggregateType, streamName } from '#services/event-sourcing/aggregate-type.ts'
import type { AnyEvent } from '#services/portal/subjects.ts'
import { emailClaimKind, emailClaims } from '#services/identity/users/email-claim.ts'
import {
  acceptTerms,
  assignAccount,
  assignNextStage,
  banUser,
  changePassword,
  changeProfile,
  confirmEmail,
  createUser,
  deleteUser,
  enrolTrader,
  firstAccount,
  registerUser,
  unbanUser,
  userStreams,
} from '#services/identity/users/user.ts'
import type { Profile } from '#services/identity/users/profile.ts'
import { userFilesPrefix } from '#services/trading/certificates/server/certificate-files.ts'

/**
 * Histories of a made-up firm, decided by the real deciders in memory. The demo, the benchmarks and the tests draw
 * operations and use what comes of them.
 */

/**
 * The actors of the firm; 'key holder' is the administrator whose key the operation names, 'shop' and 'bridge' are
 * programs, 'rules' and 'start' the portal itself.
 */
export type FirmActor =
  | 'trader'
  | 'payouts desk'
  | 'risk desk'
  | 'platform feed'
  | 'command line'
  | 'key holder'
  | 'shop'
  | 'bridge'
  | 'rules'
  | 'start'

/** One action at a moment (ms since 1970). */
export type Operation = UserOperation | KeyOperation

export type UserOperation = {
  readonly at: number
  readonly userId: UserId
  /** The number of the account that it is about; the first without it. */
  readonly account?: number
} & (
  | { readonly kind: 'register'; readonly profile: Profile; readonly privacyPolicyAgreed?: boolean }
  | { readonly kind: 'confirm email' }
  | { readonly kind: 'create'; readonly profile: Profile }
  /** All accounts of a deleted user. */
  | { readonly kind: 'close accounts' }
  | { readonly kind: 'open account' | 'unban' | 'delete' }
  | { readonly kind: 'change profile'; readonly changes: Partial<Profile> }
  | { readonly kind: 'change password'; readonly passwordHash: string }
  | { readonly kind: 'ban'; readonly reason: string }
  | {
      readonly kind: 'change account'
      readonly by: FirmActor
      readonly changes: AccountChanges
      readonly reason?: DecisionReason | undefined
      /** The reason must name the current breach, whose position only the log knows: see demo-firm.ts. */
      readonly correctsBreach?: true
    }
  /** The amount is in cents. */
  | {
      readonly kind: 'request payout'
      readonly amount: number
      readonly method: PayoutMethod
      readonly details: string
      readonly destination?: Destination | null
    }
  /** The account's first payout is number 1. */
  | {
      readonly kind: 'decide payout'
      readonly payout: number
      readonly verdict: 'approved' | 'rejected'
      readonly notes: string
      /** Where two members have to approve. */
      readonly approver?: Approver
    }
  | { readonly kind: 'withdraw payout'; readonly payout: number }
  | { readonly kind: 'hold payout'; readonly payoutId: PayoutId; readonly reason: string }
  | { readonly kind: 'move payment'; readonly payoutId: PayoutId; readonly move: PaymentMove }
  | { readonly kind: 'issue certificate'; readonly title: string; readonly content: Uint8Array }
  /** In the newest version, by the order of a shop, or by staff without one. */
  | {
      readonly kind: 'enrol'
      readonly programme: ProgrammeId
      readonly order: { readonly id: OrderId; readonly content: string } | null
    }
  /** The terms of the newest enrolment. */
  | { readonly kind: 'accept terms' }
  /** Rows that the bridge sends. */
  | { readonly kind: 'observe'; readonly rows: readonly Observation[] }
  /** The account's newest finding. */
  | { readonly kind: 'confirm finding' }
  | { readonly kind: 'dismiss finding'; readonly reason: string }
  | { readonly kind: 'close on platform' }
)

type KeyOperation = { readonly at: number; readonly keyId: string } & (
  | { readonly kind: 'issue key'; readonly label: string; readonly role: AdminRole; readonly keyHash: string }
  | { readonly kind: 'revoke key' | 'sign in' }
  | { readonly kind: 'set firm account'; readonly firmAccount: FirmAccount }
  | {
      readonly kind: 'make batch'
      readonly batch: BatchId
      readonly format: BatchFormat
      /** Euro for one dollar; null for dollars. */
      readonly rate: string | null
      readonly rateSource: string | null
      readonly payouts: readonly PayoutId[]
    }
  | { readonly kind: 'release batch'; readonly batch: BatchId }
  | {
      readonly kind: 'issue program key'
      readonly programKey: ProgramKeyId
      readonly name: string
      readonly scopes: KeyScope[]
      readonly keyHash: string
      readonly expiresAt: number
    }
  /** By the first start of the portal. */
  | { readonly kind: 'publish presets' }
  /** The next version. */
  | { readonly kind: 'draft programme'; readonly programme: ProgrammeId; readonly terms: ProgrammeTerms }
  /** The newest version, once its what-if has been computed. */
  | { readonly kind: 'publish programme'; readonly programme: ProgrammeId }
)

/** Events that one decision added to a stream. */
export interface HistoryEntry {
  readonly stream: string
  readonly events: readonly AnyEvent[]
  readonly by: FirmActor
  readonly operation: Operation
}

export type History = ReturnType<typeof createHistory>

interface HistoryOptions {
  /** Every trader has the same password. */
  readonly passwordHash: string
  /** Names the claim on an address. */
  emailClaimOf(email: string): string
  /** Names the claim on a login. */
  loginClaimOf(server: string, login: string): string
}

export function createHistory({ passwordHash, emailClaimOf, loginClaimOf }: HistoryOptions) {
  const streams = {
    users: createStreams(userStreams),
    accounts: createStreams(accountStreams),
    adminKeys: createStreams(adminKeyStreams),
    claims: createStreams(emailClaims),
    loginClaims: createStreams(loginClaims),
    batches: createStreams(batchStreams),
    firmAccounts: createStreams(firmAccounts),
    programmes: createStreams(programmeStreams),
    programKeys: createStreams(apiKeyStreams),
    orders: createStreams(orderStreams),
  }
  const payoutOf = (id: PayoutId) => streams.accounts.stateOf(accountOf(id)).payouts.list.get(id)

  /** Decides on an operation and returns what it adds to the log. @throws {Refused} what a decider refuses. */
  const perform = (operation: Operation): HistoryEntry[] => {
    const { at } = operation
    const entries: HistoryEntry[] = []
    /** How to decide on a stream; returns all that the operation has added so far. */
    const on =
      <State, Event extends AnyEvent>({ decide }: Streams<State, Event>, id: string) =>
      (by: FirmActor, decision: (state: State) => readonly Event[]): HistoryEntry[] => {
        const { stream, events } = decide(id, at, decision)
        if (events.length > 0) entries.push({ stream, events, by, operation })
        return entries
      }

    const movePayments = (items: readonly Pick<BatchItem, 'payoutId'>[], move: PaymentMove): HistoryEntry[] => {
      for (const { payoutId: id } of items)
        on(streams.accounts, accountOf(id))('key holder', (state) => movePayoutPayment(state, id, move))
      return entries
    }

    if ('keyId' in operation) {
      const key = on(streams.adminKeys, operation.keyId)
      switch (operation.kind) {
        case 'issue key':
          return key('command line', (state) =>
            issueAdminKey(state, operation.label, operation.role, operation.keyHash),
          )
        case 'revoke key':
          return key('command line', revokeAdminKey)
        case 'sign in':
          return key('key holder', (state) => signInAdmin(state, () => true, at))
        case 'set firm account':
          return on(streams.firmAccounts, FIRM_ACCOUNT_ID)('key holder', (state) =>
            setFirmAccount(state, operation.firmAccount),
          )
        case 'make batch': {
          const { batch: id, format, rate, rateSource, payouts } = operation
          const terms = { id, format, rate, method: payouts[0] && payoutOf(payouts[0])?.method }
          const items = payouts.map((payout) => plannedItem(streams.accounts.stateOf(accountOf(payout)), payout, terms))
          const currency = rate === null ? 'USD' : 'EUR'
          const made = { format, currency, rate, rateSource, items, member: adminKeyId.parse(operation.keyId) } as const
          on(streams.batches, id)('key holder', (state) => makeBatch(state, made))
          return movePayments(items, { kind: 'enter-batch', batch: id })
        }
        case 'release batch': {
          const batch = on(streams.batches, operation.batch)
          const { items } = streams.batches.stateOf(operation.batch)
          const payer = streams.firmAccounts.stateOf(FIRM_ACCOUNT_ID)
          for (const { payoutId: id, reference } of items) {
            const payout = payoutOf(id)
            if (payout?.payment?.state !== 'in-batch')
              batch('key holder', (state) => removeItem(state, reference, whyGone(payout)))
          }
          if (streams.batches.stateOf(operation.batch).items.length === 0) return batch('key holder', cancelBatch)
          const release = { member: adminKeyId.parse(operation.keyId), needsTwo: true, payer }
          batch('key holder', (state) => beginRelease(state, release))
          const state = streams.batches.stateOf(operation.batch)
          movePayments(state.items, { kind: 'send' })
          return batch('key holder', (now) => endRelease(now, fileHash(operation.batch, now)))
        }
        case 'issue program key': {
          const { programKey, name, scopes, keyHash, expiresAt } = operation
          return on(streams.programKeys, programKey)('key holder', (state) =>
            issueProgramKey(state, { name, scopes, keyHash, expiresAt }),
          )
        }
        case 'publish presets':
          for (const { id, terms } of presets)
            on(streams.programmes, id)('start', (state) => publishPreset(state, hashedTerms(terms)))
          return entries
        case 'draft programme': {
          const draft = hashedTerms(operation.terms)
          return on(streams.programmes, operation.programme)('key holder', (state) =>
            state.length === 0 ? draftProgramme(state, draft) : draftVersion(state, draft),
          )
        }
        case 'publish programme': {
          const programme = on(streams.programmes, operation.programme)
          const versions = streams.programmes.stateOf(operation.programme)
          const { hash } = existingVersion(versions, versions.length)
          programme('key holder', (state) => recordTrial(state, versions.length, { hash, accounts: 0, differences: 0 }))
          return programme('key holder', (state) => publishVersion(state, versions.length, hash))
        }
      }
    }

    const { userId } = operation
    const accountId = accountIdOf(userId, operation.account ?? 1)
    const [user, account] = [on(streams.users, userId), on(streams.accounts, accountId)]
    const claimFor = (by: FirmActor, email: string) => {
      const emailClaim = emailClaimOf(email)
      on(streams.claims, emailClaim)(by, (claim) => makeClaim(emailClaimKind, claim, userId))
      return { emailClaim, since: streams.claims.stateOf(emailClaim).since }
    }
    const claimLogin = (by: FirmActor, changes: AccountChanges): ActiveLoginClaim | null => {
      const { account: before } = streams.accounts.stateOf(accountId)
      const { login, server } = platformLoginAfter(before, changes)
      if (login === null || server === null || (login === before.login && server === before.server)) return null
      const loginClaim = loginClaimOf(server, login)
      on(streams.loginClaims, loginClaim)(by, (claim) => makeClaim(loginClaimKind, claim, accountId))
      return { login, server, loginClaim, since: streams.loginClaims.stateOf(loginClaim).since }
    }
    const releaseLogin = (by: FirmActor, loginClaim: string | null, holder = accountId): HistoryEntry[] =>
      loginClaim
        ? on(streams.loginClaims, loginClaim)(by, (claim) => releaseClaim(loginClaimKind, claim, holder))
        : entries
    const beginStage = (by: FirmActor, enrolment: Enrolment, stage: number): HistoryEntry[] => {
      const id = enrolment.accounts[stage]
      if (!id) return entries
      const { programme, version, hash } = enrolment
      const { terms } = existingVersion(streams.programmes.stateOf(programme), version)
      const beginning: StageBeginning = { enrolmentId: enrolment.id, programme, version, hash, stage, terms }
      return on(streams.accounts, id)(by, (state) => beginStageIn(state.account, id, beginning))
    }
    /** A decision that may pass the account's stage: the login is free, and the next account opens. */
    const passing = (by: FirmActor, decision: (state: AccountState) => ReturnType<typeof reviewFindings>) => {
      const { loginClaim, programme } = streams.accounts.stateOf(accountId).account
      const { events = [] } = account(by, decision).at(-1) ?? {}
      const passed = events.find(({ type }) => type === 'StagePassed')
      if (passed?.type !== 'StagePassed' || !programme) return entries
      const { enrolmentId: id, stage } = passed.data
      const trader = userOfEnrolment(id)
      on(streams.users, trader)(by, (state) => assignNextStage(state, trader, id, stage))
      const enrolment = streams.users.stateOf(trader).enrolments.find((each) => each.id === id)
      if (enrolment) beginStage(by, enrolment, stage + 1)
      return releaseLogin(by, loginClaim)
    }
    const review = () => passing('rules', (state) => reviewFindings(state, at))
    const newestFinding = findingIdOf(accountId, Math.max(1, streams.accounts.stateOf(accountId).findings.list.length))
    switch (operation.kind) {
      case 'register': {
        const claim = claimFor('trader', operation.profile.email)
        const registration = {
          ...operation.profile,
          emailClaim: claim.emailClaim,
          passwordHash,
          privacyPolicyAgreed: operation.privacyPolicyAgreed ?? true,
        }
        return user('trader', (state) => [...registerUser(state, registration, claim), firstAccount(userId)])
      }
      case 'confirm email':
        return user('trader', (state) => confirmEmail(state, () => true))
      case 'create': {
        const claim = claimFor('risk desk', operation.profile.email)
        const creation = {
          ...operation.profile,
          emailClaim: claim.emailClaim,
          token: 't',
          tokenHash: 'h',
          expiresAt: 0,
        }
        return user('risk desk', (state) => [...createUser(state, creation, claim), firstAccount(userId)])
      }
      case 'open account': {
        // The user exists before the account, as in the command service.
        const { exists, accounts: assigned } = streams.users.stateOf(userId)
        if (!exists) return entries
        const by = assigned.includes(accountId) ? 'trader' : 'risk desk'
        if (!assigned.includes(accountId)) user(by, (state) => assignAccount(state, userId, accountId))
        return account(by, (state) => openAccount(state.account, accountId))
      }
      case 'close accounts': {
        const { deleted, accounts: all } = streams.users.stateOf(userId)
        for (const id of deleted ? all : []) {
          const { loginClaim } = streams.accounts.stateOf(id).account
          on(streams.accounts, id)('risk desk', endAccount)
          releaseLogin('risk desk', loginClaim, id)
        }
        return entries
      }
      case 'change profile':
        return user('trader', (state) => changeProfile(state, operation.changes, null))
      case 'change password':
        return user('trader', (state) => changePassword(state, state.passwordHash ?? '', operation.passwordHash))
      case 'ban':
        user('risk desk', (state) => banUser(state, operation.reason))
        for (const id of streams.users.stateOf(userId).accounts)
          on(streams.accounts, id)('risk desk', ({ payouts }) => holdAllPayouts(payouts, HELD_BY_BAN, at))
        return entries
      case 'unban':
        return user('risk desk', unbanUser)
      case 'delete': {
        const { emailClaim } = streams.users.stateOf(userId)
        user('risk desk', deleteUser)
        return emailClaim
          ? on(streams.claims, emailClaim)('risk desk', (claim) => releaseClaim(emailClaimKind, claim, userId))
          : entries
      }
      case 'change account': {
        const claim = claimLogin(operation.by, operation.changes)
        account(operation.by, (state) => changeByStaff(state, operation.changes, operation.reason ?? {}, claim, at))
        return review()
      }
      case 'enrol': {
        const { order } = operation
        const offered = offeredVersion(streams.programmes.stateOf(operation.programme))
        if (!offered) throw new TypeError(`${operation.programme} is not offered`)
        const { terms, hash } = offered.version
        const version = { programme: operation.programme, name: terms.name, version: offered.number, hash }
        const by = order ? 'shop' : 'risk desk'
        const accepted = order && { hash, at: at - 60_000 }
        if (order) {
          const received = { content: order.content, ...version, accepted, newTrader: userId }
          on(streams.orders, order.id)(by, (state) => receiveOrder(state, received))
          on(streams.orders, order.id)(by, (state) => assignOrder(state, userId))
        }
        const isUntouched = streams.accounts.sizeOf(accountIdOf(userId, 1)) <= 1
        user(by, (state) => enrolTrader(state, userId, { ...version, accepted, order: order?.id ?? null }, isUntouched))
        const enrolment = streams.users.stateOf(userId).enrolments.at(-1)
        return enrolment ? beginStage(by, enrolment, 0) : entries
      }
      case 'accept terms': {
        const enrolment = streams.users.stateOf(userId).enrolments.at(-1)
        return enrolment ? user('trader', (state) => acceptTerms(state, enrolment.id, enrolment.hash)) : entries
      }
      case 'observe':
        account('bridge', (state) => recordObservations(state, operation.rows, 'feed').events)
        return review()
      case 'confirm finding': {
        const confirmer = { member: adminKeyId.parse('one'), needsTwo: false, lapsed: null }
        return passing('risk desk', (state) => confirmFinding(state, newestFinding, confirmer))
      }
      case 'dismiss finding':
        account('risk desk', (state) => dismissFinding(state, newestFinding, operation.reason))
        return review()
      case 'close on platform':
        return account('risk desk', (state) => closeOnPlatform(state.account))
      case 'request payout': {
        const { method, details, destination = null } = operation
        return account('trader', (state) =>
          requestPayout(
            state,
            { amount: toCents(operation.amount), method, details, destination, idempotency: null },
            at,
          ),
        )
      }
      case 'decide payout': {
        const { notes, approver } = operation
        const id = payoutId.parse(`${accountId}-p${operation.payout}`)
        account('payouts desk', (state) =>
          operation.verdict === 'approved'
            ? approvePayout(state, id, { notes, deduct: true, now: at, ...(approver && { approver }) })
            : rejectPayout(state, id, notes),
        )
        return review()
      }
      case 'withdraw payout':
        return account('trader', (state) => withdrawPayout(state, payoutId.parse(`${accountId}-p${operation.payout}`)))
      case 'hold payout':
        return on(streams.accounts, accountOf(operation.payoutId))('payouts desk', (state) =>
          holdPayout(state, operation.payoutId, operation.reason),
        )
      case 'move payment':
        return on(streams.accounts, accountOf(operation.payoutId))('payouts desk', (state) =>
          movePayoutPayment(state, operation.payoutId, operation.move),
        )
      case 'issue certificate': {
        const issue = {
          name: operation.title,
          issuedAt: new Date(at).toISOString().slice(0, 10),
          ...certificateFile(operation),
        }
        return account('payouts desk', (state) =>
          state.account.id && !state.account.erased
            ? issueCertificate(state, { certificateId: nextCertificateId(state), ...issue })
            : [],
        )
      }
    }
  }

  /** Of the batch in its present state. */
  const fileHash = (id: BatchId, batch: Batch): string => {
    const found = batch.items.flatMap(({ payoutId: each }) => payoutOf(each) ?? [])
    return hashOf(paymentFile(orderOf(id, batch, new Map(found.map((payout) => [payout.id, payout])))))
  }

  const exists = ({ id }: Payout) => !streams.users.stateOf(ownerOf(accountOf(id))).deleted

  return {
    perform,
    accountOf: (id: AccountId): AccountState => streams.accounts.stateOf(id),
    enrolmentsOf: (id: UserId): readonly Enrolment[] => streams.users.stateOf(id).enrolments,
    /** The approved payouts that are owed and not on hold, in the order of their accounts. */
    owed: (): readonly Payout[] =>
      streams.accounts
        .states()
        .flatMap(({ payouts }) => [...payouts.list.values()])
        .filter((payout) => isOwed(payout.payment) && payout.payment?.state !== 'in-batch' && !payout.hold)
        .filter(exists),
    /** The payouts in a batch. */
    payoutsIn: (batch: BatchId): readonly Payout[] =>
      streams.batches
        .stateOf(batch)
        .items.flatMap((item) => payoutOf(item.payoutId) ?? [])
        .filter(exists),
  }
}

/** Where the file of a certificate is kept, and what its event says of it. */
export function certificateFile({ userId, content }: { readonly userId: UserId; readonly content: Uint8Array }) {
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { file: `${userFilesPrefix(userId)}${sha256.slice(0, 32)}.pdf`, size: content.length, sha256 }
}

type Streams<State, Event extends AnyEvent> = ReturnType<typeof createStreams<State, Event>>

/** The streams of one aggregate type, in memory. */
function createStreams<State, Event extends AnyEvent>(type: AggregateType<State, Event>) {
  const streams = new Map<string, { readonly state: State; readonly next: number }>()
  const load = (id: string) => streams.get(id) ?? { state: type.decider.initial, next: 0 }
  return {
    stateOf: (id: string): State => load(id).state,
    sizeOf: (id: string): number => load(id).next,
    states: (): readonly State[] => [...streams.values()].map(({ state }) => state),
    decide(id: string, at: number, decide: (state: State) => readonly Event[]) {
      const { state, next } = load(id)
      const events = decide(state)
      const after = events.reduce(
        (before, event, index) => type.decider.evolve(before, { ...event, at, revision: next + index }),
        state,
      )
      if (events.length > 0) streams.set(id, { state: after, next: next + events.length })
      return { stream: streamName(type, id), events }
    },
  }
}
