import { createHash } from 'node:crypto'
import { type AggregateType, streamName } from '#services/event-sourcing/aggregate-type.ts'
import { makeClaim, releaseClaim } from '#services/event-sourcing/claim.ts'
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
  type ApiKeyId,
  type UserId,
  userOfEnrolment,
} from '#services/framework/ids.ts'
import { apiKeyStreams, issueApiKey } from '#services/identity/api-keys/api-key.ts'
import * as adminKeys from '#services/identity/staff/access-key.ts'
import { emailClaimKind, emailClaims } from '#services/identity/users/email-claim.ts'
import type { Enrolment } from '#services/identity/users/enrolment.ts'
import type { Profile } from '#services/identity/users/user-vocabulary.ts'
import { CALENDAR_ID, calendarStreams, type EntryTerms, publishEntries } from '#services/trading/calendar/calendar.ts'
import { openCase, writeInCase } from '#services/trading/stream/case.ts'
import { userNoteStreams, writeUserNote } from '#services/identity/user-notes/user-note.ts'
import * as users from '#services/identity/users/user.ts'
import * as batches from '#services/payments/batches/batch.ts'
import {
  FIRM_ACCOUNT_ID,
  type FirmAccount,
  firmAccounts,
  setFirmAccount,
} from '#services/payments/batches/firm-account.ts'
import { ownCodes } from '#services/payments/batches/coin-code-vocabulary.ts'
import { beginningOf } from '#services/trading/stream/programme-stage.ts'
import { EURO_RATES, paymentRates } from '#services/payments/batches/payment-rate.ts'
import * as destinations from '#services/payments/destinations/saved-destination.ts'
import { plannedItem, whyGone } from '#services/payments/batches/server/batch-plan.ts'
import { hashesOf, orderOf } from '#services/payments/batches/server/batch-work.ts'
import {
  REPLY_TEMPLATES_ID,
  replyTemplateStreams,
  saveReplyTemplate,
} from '#services/payments/reply-templates/reply-template.ts'
import type { AnyEvent } from '#services/oversight/event-catalogue.ts'
import { addOffers, OFFERS_ID, offerStreams } from '#services/programmes/programmes/firm-offers.ts'
import { presets } from '#services/programmes/programmes/presets.ts'
import * as programmes from '#services/programmes/programmes/programme.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { toCents } from '#services/rules/money.ts'
import type { Observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { userFilesPrefix } from '#services/trading/certificates/server/certificate-files.ts'
import { assignOrder, orderStreams, receiveOrder } from '#services/trading/orders/order.ts'
import {
  type OrderNotTaken,
  refuseOrder,
  untakenOrderId,
  untakenOrders,
} from '#services/trading/orders/untaken-order.ts'
import * as accounts from '#services/trading/stream/account.ts'
import {
  type AccountState,
  accountStreams,
  changeByStaff,
  endAccount,
} from '#services/trading/stream/account-aggregate.ts'
import { issueCertificate, nextCertificateId } from '#services/trading/stream/certificate.ts'
import type { DecisionReason, EventReference } from '#services/trading/stream/decision-reason.ts'
import type { Destination } from '#services/trading/stream/destination-vocabulary.ts'
import { confirmFinding, dismissFinding, reviewFindings } from '#services/trading/stream/finding.ts'
import { warnOfLimits } from '#services/trading/stream/limit-warning.ts'
import { loginClaimKind, loginClaims } from '#services/trading/stream/login-claim.ts'
import { changeFirm, changeLogo, FIRM_ID, type FirmLogo, firmStreams } from '#services/identity/firm/firm.ts'
import type { FirmSettings } from '#services/identity/firm/firm-vocabulary.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'
import { isOwed, type PaymentMove } from '#services/trading/stream/payment.ts'
import * as payouts from '#services/trading/stream/payout.ts'

/**
 * Histories of a made-up firm, decided by the real deciders in memory. The demo, the benchmarks and the tests draw
 * operations and use what comes of them.
 */

/**
 * The actors of the firm; 'key holder' is the administrator whose key the operation names, 'shop' and 'bridge' are
 * programs, 'rules' and 'start' the portal itself.
 */
export type FirmActor = StaffActor | 'trader' | 'platform feed' | 'shop' | 'bridge' | 'rules' | 'start'
type StaffActor = 'payouts desk' | 'risk desk' | 'command line' | 'key holder'

/** Programmes that the firm offers, each at the same price and the same link. */
interface Offered {
  readonly programmes: readonly ProgrammeId[]
  readonly price: string
  readonly purchaseUrl: string
}

/** What each operation of a member of staff says, and how it is decided. */
const keyOperations = {
  'issue key': ({ key }: KeyDesk, of: { label: string; role: adminKeys.AdminRole; keyHash: string }) =>
    key('command line', (state) => adminKeys.issueAdminKey(state, of.label, of.role, of.keyHash)),
  'revoke key': ({ key }: KeyDesk) => key('command line', adminKeys.revokeAdminKey),
  'sign in': ({ key, at }: KeyDesk) => key('key holder', (state) => adminKeys.signInAdmin(state, () => true, at)),
  'set firm account': ({ on, firm }: KeyDesk, { firmAccount }: { firmAccount: FirmAccount }) =>
    on(firm.firmAccounts, FIRM_ACCOUNT_ID)('key holder', (state) => setFirmAccount(state, firmAccount)),
  'offer programmes': ({ on, firm }: KeyDesk, { programmes: offered, ...terms }: Offered) =>
    on(firm.offers, OFFERS_ID)('key holder', (state) => addOffers(state, offered, terms)),
  'set name and colours': ({ on, firm }: KeyDesk, of: { settings: Partial<FirmSettings>; logo: FirmLogo }) => {
    on(firm.firm, FIRM_ID)('key holder', (state) => changeFirm(state, of.settings))
    on(firm.firm, FIRM_ID)('key holder', (state) => changeLogo(state, of.logo))
  },
  /** The rate is euro for one dollar; null for dollars. */
  'make batch': ({ firm, on, member, movePayments }: KeyDesk, operation: NewBatch) => {
    const { batch: id, format, rate, rateSource, payouts: ids } = operation
    const terms = { id, format, rate, method: ids[0] && firm.payoutOf(ids[0])?.method }
    const items = ids.map((payout) => plannedItem(firm.accounts.stateOf(accountOf(payout)), payout, terms))
    const made = { format, currency: rate === null ? 'USD' : 'EUR', rate, rateSource, items, member: member() } as const
    on(firm.batches, id)('key holder', (state) => batches.makeBatch(state, made))
    movePayments(items, { kind: 'enter-batch', batch: id })
    if (rate !== null)
      on(firm.paymentRates, EURO_RATES)('key holder', () => [
        { type: 'PaymentRateUsed', data: { batch: id, rate, source: rateSource } },
      ])
  },
  'release batch': ({ firm, on, member, movePayments }: KeyDesk, { batch: id }: { batch: BatchId }) => {
    const batch = on(firm.batches, id)
    const itemsNow = () => firm.batches.stateOf(id).items
    for (const { payoutId: each, reference } of itemsNow()) {
      const payout = firm.payoutOf(each)
      if (payout?.payment?.state !== 'in-batch')
        batch('key holder', (state) => batches.removeItem(state, reference, whyGone(payout)))
    }
    if (itemsNow().length === 0) return void batch('key holder', batches.cancelBatch)
    const payer = firm.firmAccounts.stateOf(FIRM_ACCOUNT_ID)
    batch('key holder', (state) =>
      batches.beginRelease(state, { member: member(), needsTwo: true, payer, codes: ownCodes }),
    )
    movePayments(itemsNow(), { kind: 'send', rate: firm.batches.stateOf(id).rate })
    batch('key holder', (state) => batches.endRelease(state, firm.hashesOfFiles(id)))
  },
  'publish news': ({ firm, on, at }: KeyDesk, { entries }: { entries: readonly EntryTerms[] }) =>
    on(firm.calendar, CALENDAR_ID)('key holder', (state) => publishEntries(state, entries, at)),
  'save reply template': ({ firm, on }: KeyDesk, of: { name: string; text: string }) =>
    on(firm.templates, REPLY_TEMPLATES_ID)('key holder', (state) => saveReplyTemplate(state, of)),
  /** The shop sends it, and the portal cannot take it. */
  'refuse order': ({ firm, on }: KeyDesk, { refused }: { refused: OrderNotTaken }) =>
    on(firm.untakenOrders, untakenOrderId(refused.order, 1))('shop', (state) => refuseOrder(state, refused)),
  'issue program key': ({ firm, on }: KeyDesk, of: { apiKey: ApiKeyId; issued: NewApiKey }) =>
    on(firm.apiKeys, of.apiKey)('key holder', (state) => issueApiKey(state, of.issued)),
  /** By the first start of the portal. */
  'publish presets': ({ firm, on }: KeyDesk) => {
    for (const { id, terms } of presets)
      on(firm.programmes, id)('start', (state) => programmes.publishPreset(state, hashedTerms(terms)))
  },
  /** The next version. */
  'draft programme': ({ firm, on }: KeyDesk, { programme, terms }: { programme: ProgrammeId; terms: ProgrammeTerms }) =>
    on(firm.programmes, programme)('key holder', (state) =>
      (state.length === 0 ? programmes.draftProgramme : programmes.draftVersion)(state, hashedTerms(terms)),
    ),
  /** The newest version, once its what-if has been computed. */
  'publish programme': ({ firm, on }: KeyDesk, { programme: id }: { programme: ProgrammeId }) => {
    const programme = on(firm.programmes, id)
    const versions = firm.programmes.stateOf(id)
    const { hash } = programmes.existingVersion(versions, versions.length)
    const trial = { hash, accounts: 0, differences: 0 }
    programme('key holder', (state) => programmes.recordTrial(state, versions.length, trial))
    programme('key holder', (state) => programmes.publishVersion(state, versions.length, hash))
  },
}

type NewApiKey = Parameters<typeof issueApiKey>[1]

type NewBatch = Pick<batches.NewBatch, 'format' | 'rate' | 'rateSource'> & {
  batch: BatchId
  payouts: readonly PayoutId[]
}

/** What each operation about a trader says, and how it is decided. */
const userOperations = {
  register: (desk: UserDesk, { profile, ...of }: { profile: Profile; privacyPolicyAgreed?: boolean }) => {
    const { privacyPolicyAgreed = true } = of
    const claim = desk.claimEmail('trader', profile.email)
    const { passwordHash } = desk.firm
    const registration = { ...profile, emailClaim: claim.emailClaim, passwordHash, privacyPolicyAgreed }
    desk.user('trader', (state) => [...users.registerUser(state, registration, claim), users.firstAccount(desk.userId)])
  },
  'confirm email': ({ user }: UserDesk) => user('trader', (state) => users.confirmEmail(state, () => true)),
  create: ({ user, userId, claimEmail }: UserDesk, { profile }: { profile: Profile }) => {
    const claim = claimEmail('risk desk', profile.email)
    const creation = { ...profile, emailClaim: claim.emailClaim, token: 't', tokenHash: 'h', expiresAt: 0 }
    user('risk desk', (state) => [...users.createUser(state, creation, claim), users.firstAccount(userId)])
  },
  'open account': ({ firm, user, account, userId, accountId }: UserDesk) => {
    // The user exists before the account, as in the command service.
    const { exists, accounts: assigned } = firm.users.stateOf(userId)
    if (!exists) return
    const by = assigned.includes(accountId) ? 'trader' : 'risk desk'
    if (by === 'risk desk') user(by, (state) => users.assignAccount(state, userId, accountId))
    account(by, (state) => accounts.openAccount(state.account, accountId))
  },
  /** All accounts of a deleted user. */
  'close accounts': ({ firm, on, userId, releaseLogin }: UserDesk) => {
    const { deleted, accounts: all } = firm.users.stateOf(userId)
    for (const id of deleted ? all : []) {
      const { loginClaim } = firm.accounts.stateOf(id).account
      on(firm.accounts, id)('risk desk', endAccount)
      releaseLogin('risk desk', loginClaim, id)
    }
  },
  'change profile': ({ user }: UserDesk, { changes }: { changes: Partial<Profile> }) =>
    user('trader', (state) => users.changeProfile(state, changes, null)),
  'change password': ({ user }: UserDesk, { passwordHash }: { passwordHash: string }) =>
    user('trader', (state) => users.changePassword(state, state.passwordHash ?? '', passwordHash)),
  ban: ({ firm, on, at, user, userId }: UserDesk, { reason }: { reason: string }) => {
    user('risk desk', (state) => users.banUser(state, reason))
    for (const id of firm.users.stateOf(userId).accounts)
      on(firm.accounts, id)('risk desk', (state) => payouts.holdAllPayouts(state.payouts, payouts.HELD_BY_BAN, at))
  },
  unban: ({ user }: UserDesk) => user('risk desk', users.unbanUser),
  delete: ({ firm, on, user, userId }: UserDesk) => {
    const { emailClaim } = firm.users.stateOf(userId)
    user('risk desk', users.deleteUser)
    if (emailClaim)
      on(firm.emailClaims, emailClaim)('risk desk', (claim) => releaseClaim(emailClaimKind, claim, userId))
  },
  'change account': ({ at, account, claimLogin, review }: UserDesk, operation: AccountChange) => {
    const { by, changes, reason = {} } = operation
    const claim = claimLogin(by, changes)
    account(by, (state) => changeByStaff(state, changes, reason, claim, at))
    review()
  },
  'write note': ({ firm, on, userId }: UserDesk, { text }: { text: string }) =>
    on(firm.userNotes, userId)('risk desk', (state) => writeUserNote(state, text)),
  /** In the newest version, by the order of a shop, or by staff without one. */
  enrol: (
    desk: UserDesk,
    { programme: id, order }: { programme: ProgrammeId; order: { id: OrderId; content: string } | null },
  ) => {
    const { firm, on, at, user, userId } = desk
    const offered = programmes.offeredVersion(firm.programmes.stateOf(id))
    if (!offered) throw new TypeError(`${id} is not offered`)
    const { terms, hash } = offered.version
    const accepted = order && { hash, at: at - 60_000 }
    const version = { programme: id, name: terms.name, version: offered.number, hash, accepted }
    const by = order ? 'shop' : 'risk desk'
    if (order) {
      const { content } = order
      on(firm.orders, order.id)(by, (state) => receiveOrder(state, { content, ...version, newTrader: userId }))
      on(firm.orders, order.id)(by, (state) => assignOrder(state, userId))
    }
    const isUntouched = firm.accounts.sizeOf(accountIdOf(userId, 1)) <= 1
    user(by, (state) => users.enrolTrader(state, userId, { ...version, order: order?.id ?? null }, isUntouched))
    desk.beginStage(by, firm.newestEnrolmentOf(userId), 0)
  },
  /** Of the newest enrolment. */
  'accept terms': ({ firm, user, userId }: UserDesk) => {
    const enrolment = firm.newestEnrolmentOf(userId)
    if (enrolment) user('trader', (state) => users.acceptTerms(state, enrolment.id, enrolment.hash))
  },
  /** Rows that the bridge sends. */
  observe: ({ account, review }: UserDesk, { rows }: { rows: readonly Observation[] }) => {
    account('bridge', (state) => recordObservations(state, rows, 'feed').events)
    review()
  },
  /** The account's newest finding. */
  'confirm finding': ({ newestFinding, passing }: UserDesk) => {
    const confirmer = { member: adminKeyId.parse('one'), needsTwo: false, lapsed: null }
    passing('risk desk', (state) => confirmFinding(state, newestFinding(), confirmer))
  },
  'dismiss finding': ({ account, newestFinding, review }: UserDesk, { reason }: { reason: string }) => {
    account('risk desk', (state) => dismissFinding(state, newestFinding(), reason))
    review()
  },
  'close on platform': ({ account }: UserDesk) =>
    account('risk desk', (state) => accounts.closeOnPlatform(state.account)),
  'request payout': ({ at, account }: UserDesk, operation: PayoutRequest) => {
    const { method, details, destination = null } = operation
    const request = { amount: toCents(operation.amount), method, details, destination, idempotency: null }
    account('trader', (state) => payouts.requestPayout(state, request, at))
  },
  /** And opens the link in the mail. */
  'save destination': ({ firm, on, at, userId }: UserDesk, { method, destination, name }: NewDestination) => {
    const saved = on(firm.destinations, userId)
    const link = { token: 't', tokenHash: 'h', expiresAt: at + destinations.CONFIRMATION_LIFETIME }
    const data = { destinationId: userId, method, name, destination, ...link }
    saved('trader', (state) => destinations.saveDestination(state, data))
    saved('trader', (state) => destinations.confirmDestination(state, () => true, at))
  },
  'decide payout': ({ at, account, payoutIdOf, review }: UserDesk, operation: PayoutVerdict) => {
    const { payout, verdict, notes, approver } = operation
    const approval = { notes, deduct: true, now: at, ...(approver && { approver }) }
    account('payouts desk', (state) =>
      verdict === 'approved'
        ? payouts.approvePayout(state, payoutIdOf(payout), approval)
        : payouts.rejectPayout(state, payoutIdOf(payout), notes),
    )
    review()
  },
  /** To the newest rejection of the account. */
  object: ({ at, account }: UserDesk, { payout: about, text, decision }: Objection) => {
    if (decision)
      account('trader', (state) => openCase(state, { about: { payout: about }, decision, text }, at, CASE_CLOCKS))
  },
  'answer case': ({ at, account }: UserDesk, { text }: { text: string }) =>
    account('risk desk', (state) => {
      const [open] = [...state.cases.list.values()].slice(-1)
      return open ? writeInCase(state, open.id, { from: 'staff', text }, at, CASE_CLOCKS) : []
    }),
  'withdraw payout': ({ account, payoutIdOf }: UserDesk, { payout }: { payout: number }) =>
    account('trader', (state) => payouts.withdrawPayout(state, payoutIdOf(payout))),
  'hold payout': ({ firm, on }: UserDesk, { payoutId: id, reason }: { payoutId: PayoutId; reason: string }) =>
    on(firm.accounts, accountOf(id))('payouts desk', (state) => payouts.holdPayout(state, id, reason)),
  'move payment': ({ firm, on }: UserDesk, { payoutId: id, move }: { payoutId: PayoutId; move: PaymentMove }) =>
    on(firm.accounts, accountOf(id))('payouts desk', (state) => payouts.movePayoutPayment(state, id, move)),
  'issue certificate': ({ at, account, userId }: UserDesk, of: { title: string; content: Uint8Array }) => {
    const issuedAt = new Date(at).toISOString().slice(0, 10)
    const issue = { name: of.title, issuedAt, ...certificateFile({ userId, content: of.content }) }
    account('payouts desk', (state) =>
      state.account.id && !state.account.erased
        ? issueCertificate(state, { certificateId: nextCertificateId(state), ...issue })
        : [],
    )
  },
}

interface AccountChange {
  readonly by: FirmActor
  readonly changes: accounts.AccountChanges
  readonly reason?: DecisionReason | undefined
  /** The reason must name the current breach, whose position only the log knows: see demo-firm.ts. */
  readonly correctsBreach?: true
}

/** Some of what a payout's request says; the amount is in cents. */
type PayoutRequest = Pick<payouts.Payout, 'method' | 'details'> & { amount: number; destination?: Destination | null }

interface NewDestination extends Pick<payouts.Payout, 'method'> {
  readonly name: string
  readonly destination: Destination
}

interface Objection {
  readonly payout: PayoutId
  readonly text: string
  /** Only the log knows the number of its entry: see demo-firm.ts. */
  readonly decision?: EventReference
}

/** The defaults of CASE_HOURS and APPEAL_DAYS. */
const CASE_CLOCKS = { answer: 72 * 3_600_000, appeal: 14 * 24 * 3_600_000 }

/** The account's first payout is number 1. The approver is named where two members have to approve. */
interface PayoutVerdict {
  readonly payout: number
  readonly verdict: 'approved' | 'rejected'
  readonly notes: string
  readonly approver?: payouts.Approver
}

/** What the operations of a table say. */
type Details<Table> = {
  [Kind in keyof Table]: Table[Kind] extends (desk: never, details: infer Said) => unknown ? Said : never
}
/** An operation of a table. */
type OperationIn<Table, Base, Kind extends keyof Table> = {
  [Each in Kind]: Base & { readonly kind: Each } & Details<Table>[Each]
}[Kind]
/** The same table with each entry typed by its kind, so that an operation finds its own. */
type Performers<Table, Desk> = {
  readonly [Kind in keyof Table]: (desk: Desk, details: Details<Table>[Kind]) => unknown
}

type UserKind = keyof typeof userOperations
type KeyKind = keyof typeof keyOperations

/** One action at a moment (ms since 1970). */
interface OfUser {
  readonly at: number
  readonly userId: UserId
  /** The number of the account that it is about; the first without it. */
  readonly account?: number
}
interface OfKey {
  readonly at: number
  readonly keyId: string
}

export type UserOperation<Kind extends UserKind = UserKind> = OperationIn<typeof userOperations, OfUser, Kind>
type KeyOperation<Kind extends KeyKind = KeyKind> = OperationIn<typeof keyOperations, OfKey, Kind>
export type Operation = UserOperation | KeyOperation

/** Events that one decision added to a stream. */
export interface HistoryEntry {
  readonly stream: string
  readonly events: readonly AnyEvent[]
  readonly by: FirmActor
  readonly operation: Operation
}

interface HistoryOptions {
  /** Every trader has the same password. */
  readonly passwordHash: string
  /** Names the claim on an address. */
  emailClaimOf(email: string): string
  /** Names the claim on a login. */
  loginClaimOf(server: string, login: string): string
}

export type History = ReturnType<typeof createHistory>

export function createHistory(options: HistoryOptions) {
  const firm = createFirm(options)
  const exists = ({ id }: payouts.Payout) => !firm.users.stateOf(ownerOf(accountOf(id))).deleted
  return {
    /** Decides on an operation and returns what it adds to the log. @throws {Refused} what a decider refuses. */
    perform(operation: Operation): HistoryEntry[] {
      const entries: HistoryEntry[] = []
      const keep: Keep = (stream, events, by) => entries.push({ stream, events, by, operation })
      if ('keyId' in operation) performForKey(keyDesk(firm, operation, keep), operation)
      else performForUser(userDesk(firm, operation, keep), operation)
      return entries
    },
    accountOf: (id: AccountId): AccountState => firm.accounts.stateOf(id),
    enrolmentsOf: (id: UserId): readonly Enrolment[] => firm.users.stateOf(id).enrolments,
    /** The approved payouts that are owed and not on hold, in the order of their accounts. */
    owed: (): readonly payouts.Payout[] =>
      firm.accounts
        .states()
        .flatMap((state) => [...state.payouts.list.values()])
        .filter(({ payment, hold }) => isOwed(payment) && payment?.state !== 'in-batch' && !hold)
        .filter(exists),
    /** The payouts in a batch. */
    payoutsIn: (batch: BatchId): readonly payouts.Payout[] => firm.payoutsIn(batch).filter(exists),
  }
}

const keyPerformers: Performers<typeof keyOperations, KeyDesk> = keyOperations
const userPerformers: Performers<typeof userOperations, UserDesk> = userOperations

function performForKey<Kind extends KeyKind>(desk: KeyDesk, operation: KeyOperation<Kind>): void {
  keyPerformers[operation.kind](desk, operation)
}

function performForUser<Kind extends UserKind>(desk: UserDesk, operation: UserOperation<Kind>): void {
  userPerformers[operation.kind](desk, operation)
}

type Firm = ReturnType<typeof createFirm>

/** The streams of the firm, and what is often asked of them. */
function createFirm(options: HistoryOptions) {
  const streams = {
    users: createStreams(users.userStreams),
    accounts: createStreams(accountStreams),
    adminKeys: createStreams(adminKeys.adminKeyStreams),
    emailClaims: createStreams(emailClaims),
    loginClaims: createStreams(loginClaims),
    batches: createStreams(batches.batchStreams),
    firm: createStreams(firmStreams),
    firmAccounts: createStreams(firmAccounts),
    offers: createStreams(offerStreams),
    paymentRates: createStreams(paymentRates),
    destinations: createStreams(destinations.destinationStreams),
    programmes: createStreams(programmes.programmeStreams),
    apiKeys: createStreams(apiKeyStreams),
    orders: createStreams(orderStreams),
    untakenOrders: createStreams(untakenOrders),
    templates: createStreams(replyTemplateStreams),
    calendar: createStreams(calendarStreams),
    userNotes: createStreams(userNoteStreams),
  }
  const payoutOf = (id: PayoutId) => streams.accounts.stateOf(accountOf(id)).payouts.list.get(id)
  const payoutsIn = (batch: BatchId) =>
    streams.batches.stateOf(batch).items.flatMap((item) => payoutOf(item.payoutId) ?? [])
  return {
    ...options,
    ...streams,
    payoutOf,
    payoutsIn,
    newestEnrolmentOf: (id: UserId) => streams.users.stateOf(id).enrolments.at(-1),
    /** Of a batch in its present state. */
    hashesOfFiles(id: BatchId): batches.FileHashes {
      const found = new Map(payoutsIn(id).map((payout) => [payout.id, payout]))
      return hashesOf(orderOf(id, streams.batches.stateOf(id), found))
    },
  }
}

/** Takes what a decision added to a stream. */
type Keep = (stream: string, events: readonly AnyEvent[], by: FirmActor) => void

/** How to decide on a stream at a moment; a decision returns its events. */
function decisionsAt(at: number, keep: Keep) {
  return <State, Event extends AnyEvent>({ decide }: Streams<State, Event>, id: string) =>
    (by: FirmActor, decision: (state: State) => readonly Event[]): readonly Event[] => {
      const { stream, events } = decide(id, at, decision)
      if (events.length > 0) keep(stream, events, by)
      return events
    }
}

type KeyDesk = ReturnType<typeof keyDesk>

/** Where a member of staff decides. */
function keyDesk(firm: Firm, { at, keyId }: OfKey, keep: Keep) {
  const on = decisionsAt(at, keep)
  return {
    ...{ firm, at, on, key: on(firm.adminKeys, keyId) },
    member: () => adminKeyId.parse(keyId),
    movePayments(items: readonly Pick<batches.BatchItem, 'payoutId'>[], move: PaymentMove): void {
      for (const { payoutId: id } of items)
        on(firm.accounts, accountOf(id))('key holder', (state) => payouts.movePayoutPayment(state, id, move))
    },
  }
}

type UserDesk = ReturnType<typeof userDesk>

/** Where is decided about a trader and one of their accounts. */
function userDesk(firm: Firm, { at, userId, account: number = 1 }: OfUser, keep: Keep) {
  const on = decisionsAt(at, keep)
  const accountId = accountIdOf(userId, number)
  const account = on(firm.accounts, accountId)
  const state = () => firm.accounts.stateOf(accountId)

  const releaseLogin = (by: FirmActor, loginClaim: string | null, holder = accountId): void => {
    if (loginClaim) on(firm.loginClaims, loginClaim)(by, (claim) => releaseClaim(loginClaimKind, claim, holder))
  }
  const beginStage = (by: FirmActor, enrolment: Enrolment | undefined, stage: number): void => {
    const id = enrolment?.accounts[stage]
    if (!id) return
    const version = programmes.existingVersion(firm.programmes.stateOf(enrolment.programme), enrolment.version)
    const beginning = beginningOf({ ...enrolment, enrolmentId: enrolment.id }, version, stage)
    on(firm.accounts, id)(by, (begun) => accounts.beginStageIn(begun.account, id, beginning))
  }
  /** A decision that may pass the account's stage: the login is free, and the next account opens. */
  const passing = (by: FirmActor, decision: (state: AccountState) => ReturnType<typeof reviewFindings>): void => {
    const { loginClaim, programme } = state().account
    const passed = account(by, decision).find(({ type }) => type === 'StagePassed')
    if (passed?.type !== 'StagePassed' || !programme) return
    const { enrolmentId, stage } = passed.data
    const trader = userOfEnrolment(enrolmentId)
    on(firm.users, trader)(by, (user) => users.assignNextStage(user, trader, enrolmentId, stage))
    const enrolment = firm.users.stateOf(trader).enrolments.find(({ id }) => id === enrolmentId)
    beginStage(by, enrolment, stage + 1)
    releaseLogin(by, loginClaim)
  }
  return {
    ...{ firm, at, on, userId, accountId, account, user: on(firm.users, userId), releaseLogin, beginStage, passing },
    review() {
      passing('rules', (now) => reviewFindings(now, at))
      account('rules', (now) => warnOfLimits(now, at))
    },
    newestFinding: () => findingIdOf(accountId, Math.max(1, state().findings.list.length)),
    payoutIdOf: (payout: number) => payoutId.parse(`${accountId}-p${payout}`),
    claimEmail(by: FirmActor, email: string) {
      const emailClaim = firm.emailClaimOf(email)
      on(firm.emailClaims, emailClaim)(by, (claim) => makeClaim(emailClaimKind, claim, userId))
      return { emailClaim, since: firm.emailClaims.stateOf(emailClaim).since }
    },
    claimLogin(by: FirmActor, changes: accounts.AccountChanges): accounts.ActiveLoginClaim | null {
      const before = state().account
      const { login, server } = accounts.platformLoginAfter(before, changes)
      if (login === null || server === null || (login === before.login && server === before.server)) return null
      const loginClaim = firm.loginClaimOf(server, login)
      on(firm.loginClaims, loginClaim)(by, (claim) => makeClaim(loginClaimKind, claim, accountId))
      return { login, server, loginClaim, since: firm.loginClaims.stateOf(loginClaim).since }
    },
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
