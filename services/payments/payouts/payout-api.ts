import { findingId, observationId, payoutId } from '#services/framework/ids.ts'
import {
  paymentStates,
  payoutMethods,
  payoutOrders,
  promiseKinds,
  walletNetworks,
} from '#services/trading/stream/payout-vocabulary.ts'
import { chosenRejectionCodes, rejectedMoney } from '#services/trading/stream/rejection-vocabulary.ts'
import { BASED_ON_HEADER, IDEMPOTENCY_HEADER } from '#services/framework/api/headers.ts'
import { IdempotencyKey } from '#services/framework/api/idempotency-key.ts'
import { exchangeRate, Money, money } from '#services/framework/api/money.ts'
import { component, described, namedObject } from '#services/framework/api/openapi-component.ts'
import { dayOrMoment, page, parameter } from '#services/framework/api/pagination-schemas.ts'
import {
  answer,
  conflict,
  CSV_TYPE,
  file,
  get,
  notFound,
  patch,
  post,
  throttled,
  pathOf,
} from '#services/framework/api/route.ts'
import { Stamp } from '#services/framework/api/stamp-schemas.ts'
import {
  code,
  INVALID,
  LONGEST_NOTE,
  LONGEST_TEXT,
  missingOrInvalid,
  namedRequest,
  note,
  requiredNote,
  request,
  text,
  trimmedText,
} from '#services/framework/api/text.ts'
import {
  Payment,
  PayoutHold,
  payoutItemShape,
  PayoutMethod,
  payoutShape,
  PayoutStatus,
} from '#services/trading/stream/payout-fields.ts'
import { coins } from '#services/trading/stream/coin-vocabulary.ts'
import { notAvailable } from '#services/trading/accounts/available-payout-api.ts'
import { AccountFilter, AccountStatus, OwnAccountQuery } from '#services/trading/accounts/account-api.ts'
import { Standing } from '#services/trading/accounts/standing-api.ts'
import { z } from 'zod'

/** Payout requests and the verdicts on them (specification §4, §5, §9). */

/** An optional text; null counts as absent. */
function noteOrNone(longest: number) {
  return note(longest)
    .nullish()
    .transform((lines) => lines ?? '')
}

const line = (longest: number) => trimmedText(longest).optional()

/** Where the money goes: the fields that belong to the method. The server checks them. */
export const DestinationRequest = namedRequest('DestinationRequest', {
  holder: described('Of a bank account', line(140)),
  iban: described('Of a bank account, or `accountNumber` with `bic` and `bankName`', line(50)),
  accountNumber: line(34),
  bic: line(20),
  bankName: line(140),
  email: described('Of PayPal and Skrill', line(254)),
  network: described('Of a wallet', z.enum(walletNetworks, { error: 'Please select a network' }).optional()),
  coin: described(
    'Of a wallet, one that exists on its network; without it the firm chooses',
    z.enum(coins, { error: 'Please select a coin' }).optional(),
  ),
  address: described('Of a wallet', line(100)),
})
export type DestinationRequest = z.infer<typeof DestinationRequest>

/** POST /api/user/payouts */
export const PayoutRequest = namedRequest('PayoutRequest', {
  amount: money({ subject: 'Amount', most: 100_000_000, positive: true }),
  paymentMethod: PayoutMethod,
  paymentDetails: noteOrNone(1000),
  destination: described('Checked; without it the payment details stand as they are', DestinationRequest.nullish()),
})

/** POST /api/user/payouts/:id/destination */
export const NewDestination = namedRequest('NewDestination', { destination: DestinationRequest })

/** Ids of payouts, none twice. */
export const payoutIds = z
  .array(code(/^[a-z0-9-]+$/, 60), { error: missingOrInvalid })
  .min(1, 'Please select at least one payout')
  .max(5000, 'Please select at most 5,000 payouts')
  .refine((ids) => new Set(ids).size === ids.length, 'A payout is selected twice')

/** The header of a verdict that says which state it was based on. */
export const BasedOnHeader = z.union([z.literal('undecided'), z.iso.datetime()], { error: INVALID })

/** A payout as the page showed it. A decision on anything else is refused. */
const SeenPayout = namedRequest('SeenPayout', {
  amount: described("Amount of the request, such as '250.00'", code(/^\d+\.\d{2}$/, 20)),
  destination: described('The `destinationDigest` of the payout', code(/^[0-9a-f]{64}$/, 64)),
  name: described('Full name of the trader', text(LONGEST_TEXT)),
})
export type SeenPayout = z.infer<typeof SeenPayout>

const seen = described(
  'What the page showed: where the log says something else, nothing is decided',
  SeenPayout.optional(),
)

/** POST /api/admin/payouts/:id/destination */
export const NewDestinationByStaff = namedRequest('NewDestinationByStaff', {
  destination: DestinationRequest,
  reason: requiredNote(LONGEST_NOTE),
  seen,
})

/** The destination afterwards: where a second member has to give the same one, that before. */
const DestinationGiven = namedObject('DestinationGiven', { destination: payoutShape.destination })

/** What shows why a payout is rejected: a finding or an observation of its account. */
const NamedEvidence = component(
  'NamedEvidence',
  request({ finding: findingId.optional(), observation: observationId.optional() }).refine(
    ({ finding, observation }) => (finding === undefined) !== (observation === undefined),
    'Please name either a finding or an observation',
  ),
)
export type NamedEvidence = z.infer<typeof NamedEvidence>

/** Most findings and observations that a rejection names. */
export const MOST_EVIDENCE = 50

/** PATCH /api/admin/payouts/:id */
export const PayoutVerdict = component(
  'PayoutVerdict',
  request({
    status: z.enum(['approved', 'rejected'], { error: missingOrInvalid }),
    adminNotes: noteOrNone(LONGEST_NOTE),
    deduct: described(
      'Of an approval: the amount leaves the balance, which has to cover it',
      z.boolean({ error: INVALID }).optional(),
    ),
    code: described(
      "Of a rejection: its reason; 'other' without it",
      z.enum(chosenRejectionCodes, { error: INVALID }).optional(),
    ),
    evidence: described(
      'Of a rejection: what shows its reason. Under a programme the codes rule and prohibited-trading need some',
      z.array(NamedEvidence, { error: INVALID }).max(MOST_EVIDENCE, `Please name at most ${MOST_EVIDENCE}`).optional(),
    ),
    money: described(
      "Of a rejection: 'stays' (without it) leaves the amount in the account; 'forfeited' takes it away, for a code but other and mistake, above SECOND_APPROVAL_ABOVE by two members",
      z.enum(rejectedMoney, { error: INVALID }).optional(),
    ),
    seen,
  })
    .refine(({ status, adminNotes }) => status === 'approved' || adminNotes.trim() !== '', {
      error: 'Please provide notes for rejecting this payout',
      path: ['adminNotes'],
    })
    .superRefine((verdict, context) => {
      if (verdict.status === 'rejected') return
      for (const name of ['code', 'evidence', 'money'] as const)
        if (verdict[name] !== undefined)
          context.addIssue({ code: 'custom', path: [name], message: 'Only a rejection has this' })
    }),
)

/** PATCH /api/admin/payouts/:id/payment: a move of the payment, or its hold. */
export const PaymentChange = component(
  'PaymentChange',
  request({
    state: described(
      "'paid' of an open one is a transfer by hand",
      z.enum(['sent', 'paid', 'failed', 'returned'], { error: INVALID }).optional(),
    ),
    reference: described('Of a transfer by hand', trimmedText(140).optional()),
    reason: described('Why it failed or came back', noteOrNone(LONGEST_NOTE)),
    hold: described('Why the payment has to wait; null releases it', requiredNote(LONGEST_NOTE).nullable().optional()),
    seen,
  }).refine(({ state, hold }) => (state === undefined) !== (hold === undefined), {
    error: 'Please give either a state or a hold',
    path: ['state'],
  }),
)
export type PaymentChange = z.infer<typeof PaymentChange>

const PaymentChanged = namedObject('PaymentChanged', { payment: Payment.nullable(), hold: PayoutHold.nullable() })

const payoutFields = { id: z.string(), userId: z.string(), accountId: z.string(), ...payoutShape }

/** A payout request. */
export const Payout = namedObject('Payout', payoutFields)
export type Payout = z.infer<typeof Payout>

/** A payout at a moment. */
export const AuditPayout = component('AuditPayout', z.object({ id: z.string(), ...payoutItemShape }))

/** The request, and the current verdict; null while there is none. */
const payoutStamps = z.object({ requested: Stamp.nullable(), decided: Stamp.nullable() })

/** The steps of its payments, oldest first. */
const paymentSteps = z.array(
  z.object({
    state: Payment.shape.state,
    reference: z.string().nullable(),
    reason: z.string().nullable(),
    stamp: Stamp,
  }),
)

/** The words of a list about where the money goes. */
const listedDestination = {
  destinationChanges: described(
    'The destinations that were given later, oldest first; of many the newest',
    z.array(z.object({ from: z.string(), to: z.string(), reason: z.string().nullable(), stamp: Stamp })),
  ),
  takesDestination: described('Another destination may be given', z.boolean()),
}

/** A payout in its trader's list. */
export const ListedPayout = namedObject('ListedPayout', {
  ...payoutFields,
  ...listedDestination,
  stamps: payoutStamps,
  paymentSteps,
})
export type ListedPayout = z.infer<typeof ListedPayout>

const Sum = z.object({ count: z.int().nonnegative(), total: Money })

/** GET /api/user/payouts/summary: the sums behind a request from an account. */
export const PayoutSummary = namedObject('PayoutSummary', {
  profitLoss: Money,
  open: described('The requests that wait for a verdict', Sum),
  toBePaid: described('What the trader gets of those that were approved and are not paid yet', Sum),
  paid: described('What the trader got', Sum),
  lastPaid: described('What the trader got last', z.object({ amount: Money, paidAt: z.iso.datetime() }).nullable()),
  covered: described(
    'What the profit covers beside the open requests and the approved ones; 0.00 where that is nothing',
    Money,
  ),
})
export type PayoutSummary = z.infer<typeof PayoutSummary>

/** The account that a payout is asked from, as it is now: what a verdict depends on. */
export const PayoutAccount = namedObject('PayoutAccount', {
  login: z.string().nullable(),
  server: z.string().nullable(),
  status: AccountStatus,
  phase: z.string().nullable(),
  balance: Money,
  profitLoss: Money,
  dailyDrawdownLimit: z.string().nullable(),
  overallLossLimit: z.string().nullable(),
  payoutEnabled: z.boolean(),
  banned: z.boolean(),
})
export type PayoutAccount = z.infer<typeof PayoutAccount>

/**
 * The first of the two approvals that a large payout needs, while the second is missing and its `member` may still
 * decide payouts.
 */
export const FirstApproval = namedObject('FirstApproval', { ...Stamp.shape, member: z.string() })
export type FirstApproval = z.infer<typeof FirstApproval>

/** The first of two members who have the amount leave the account, while the second is missing and may. */
export const FirstForfeit = namedObject('FirstForfeit', { ...Stamp.shape, member: z.string() })
export type FirstForfeit = z.infer<typeof FirstForfeit>

/** PATCH /api/admin/payouts/:id: 'pending' while a second approval is missing. */
export const VerdictGiven = namedObject('VerdictGiven', { status: PayoutStatus })
export type VerdictGiven = z.infer<typeof VerdictGiven>

/** A payout in the administrators' list, with its user. The account is null once the user was deleted. */
export const AdminPayout = namedObject('AdminPayout', {
  ...payoutFields,
  ...listedDestination,
  destinationDigest: described('SHA-256 of the destination as shown here, lower-case hex', z.string()),
  proposedDestination: described(
    'The destination that one member of staff gave, while another one has to give the same; null where there is none',
    z
      .object({ destination: payoutShape.destination, reason: z.string(), member: z.string(), ...Stamp.shape })
      .nullable(),
  ),
  stamps: payoutStamps,
  paymentSteps,
  firstApproval: FirstApproval.nullable(),
  firstForfeit: FirstForfeit.nullable(),
  /** It is above the amount from which two members have to approve. */
  needsSecondApproval: z.boolean(),
  user: z.object({
    fullName: z.string(),
    email: z.string(),
    /** False marks an address whose mails the person has not shown to read. */
    emailConfirmed: z.boolean(),
  }),
  /** How many accounts the user has or had. */
  accountCount: z.int().nonnegative(),
  account: PayoutAccount.nullable(),
})
export type AdminPayout = z.infer<typeof AdminPayout>

const Moved = z.object({ before: Money, after: Money })

/** The effect of an approval. */
const PayoutEffect = namedObject('PayoutEffect', {
  deducts: described(
    "'always' with terms or a programme; else whether the balance covers it, so that `deduct` is possible",
    z.enum(['always', 'possible', 'not-covered']),
  ),
  balance: described('Without and with the deduction', Moved),
  profit: described('By the terms; without terms the recorded profit that is not approved for a payout yet', Moved),
  available: described('By the terms, other requests not subtracted; null without terms', Money.nullable()),
  floor: described('Of the maximum loss; null where there is none', Moved.nullable()),
  traderReceives: Money,
  firmKeeps: Money,
  waiting: described('Other requests of this account that wait', Sum),
})

/** GET /api/admin/payouts/:id/context: what a verdict depends on, as it is now. */
export const PayoutContext = namedObject('PayoutContext', {
  payout: AdminPayout,
  /** Reasons to look twice before an approval, in words; none once it is approved. */
  warnings: z.array(z.string()),
  stops: described('Those of the warnings that are a ban, a hold or a deletion', z.array(z.string())),
  effect: described(
    'What an approval does, calculated now; null once it is approved, withdrawn or the user deleted',
    PayoutEffect.nullable(),
  ),
  /** Where the account stands; null once the user was deleted. */
  standing: Standing.nullable(),
  /** The trader's other payouts, of all accounts. */
  others: z.object({
    count: z.int().nonnegative(),
    /** The newest. */
    recent: z.array(AdminPayout),
    approved: Sum,
    /** The one that was approved last. */
    lastApproved: AdminPayout.nullable(),
  }),
})
export type PayoutContext = z.infer<typeof PayoutContext>

/** The filter by status, or by having a verdict. */
export const PayoutListStatus = z.enum([...PayoutStatus.options, 'decided'], { error: INVALID })

const payoutList = page(PayoutListStatus, payoutOrders)

function sum(subject: string) {
  return parameter(money({ subject, most: 100_000_000 }).optional())
}

/**
 * GET /api/admin/payouts; newest first unless sorted otherwise; `sort=queue` is the order of work. `search` matches a
 * user's name or email, a payout's id, or a payment's reference.
 */
export const PayoutList = payoutList.extend({
  userId: described('Only those of this user', parameter(text(LONGEST_TEXT).optional())),
  account: described('Only those of this account', parameter(text(LONGEST_TEXT).optional())),
  payment: described(
    'Only approved ones whose payment is in this state',
    parameter(z.enum(paymentStates, { error: INVALID }).optional()),
  ),
  method: described('Only those by this method', parameter(z.enum(payoutMethods, { error: INVALID }).optional())),
  batch: described('Only those in this batch', parameter(text(LONGEST_TEXT).optional())),
  minAmount: described('Only those of at least this amount', sum('Amount')),
  maxAmount: described('Only those of at most this amount', sum('Amount')),
  from: described('Only those requested on this day, in UTC, or later; or from this moment on', dayOrMoment('first')),
  to: described('Only those requested on this day, in UTC, or before; or up to this moment', dayOrMoment('last')),
  olderThan: described(
    'Only those that were requested before so many days',
    parameter(
      code(/^[0-9]{1,5}$/, 5)
        .transform(Number)
        .optional(),
    ),
  ),
  overdue: described(
    'Only those whose decision, or sending, is recorded as overdue and not done yet',
    parameter(z.enum(promiseKinds, { error: INVALID }).optional()),
  ),
  approvals: described(
    "'first': only those that have the first of two approvals",
    parameter(z.enum(['first'], { error: INVALID }).optional()),
  ),
})
export type PayoutList = z.infer<typeof PayoutList>

/** GET /api/admin/payouts.csv: the complete filtered list. */
export const PayoutExport = PayoutList.omit({ limit: true, cursor: true })

/** GET /api/admin/payouts/figures: the sums of a filtered list. */
export const PayoutFigures = namedObject('PayoutFigures', {
  count: z.int().nonnegative(),
  amount: Money,
  traderReceives: described('Of approved ones', Money),
  unpaid: described('What traders receive of approved ones that are not paid', Money),
  exact: described('False where more payouts match than are added up: then these are the newest', z.boolean()),
})
export type PayoutFigures = z.infer<typeof PayoutFigures>

/** POST /api/admin/payouts/totals */
export const SelectedPayouts = namedRequest('SelectedPayouts', {
  payouts: described('The ids of payouts', payoutIds),
  rate: described('Euro for one dollar, with at most 6 decimal places', exchangeRate.optional()),
})

/** The totals of selected payouts, as their accounts have them now. */
export const PayoutTotals = namedObject('PayoutTotals', {
  count: z.int().nonnegative(),
  amount: Money,
  traderReceives: described('Of approved ones', Money),
  euro: described(
    "What traders receive in euro, each payment rounded down as in the file of a batch, such as '2944.00'; null without a rate",
    z
      .string()
      .regex(/^\d+\.\d{2}$/)
      .nullable(),
  ),
})
export type PayoutTotals = z.infer<typeof PayoutTotals>

const payoutPath = pathOf("The payout's id", payoutId, 'Payout request not found')

/** The calls about payouts. */
export const payoutRoutes = {
  ownPayouts: get('/api/user/payouts', 'trader', {
    summary: "The trader's own payout requests, newest first: of one account, or of all",
    query: AccountFilter,
    position: 'waits',
    answer: answer('The payout requests', z.array(ListedPayout)),
    refuses: notFound,
  }),
  payoutSummary: get('/api/user/payouts/summary', 'trader', {
    summary: 'What an account has earned, asked for and got: the current one without an id',
    query: OwnAccountQuery,
    position: 'waits',
    answer: answer('The sums', PayoutSummary),
    refuses: notFound,
  }),
  requestPayout: post('/api/user/payouts', 'trader', {
    summary: 'Request a payout; only while payouts are enabled for the account',
    query: OwnAccountQuery,
    headers: {
      [IDEMPOTENCY_HEADER]: {
        schema: IdempotencyKey,
        description:
          'A text of your choice: repeating a request with the same key creates no second payout and returns the same answer',
      },
    },
    body: PayoutRequest,
    answer: answer('The payout request', Payout),
    status: 201,
    refuses: { ...notFound, ...notAvailable, ...throttled },
  }),
  withdrawPayout: post('/api/user/payouts/:id/withdraw', 'trader', {
    summary: 'Take a payout request back for good, while it waits',
    params: payoutPath,
    answer: answer("The payout's status afterwards", VerdictGiven),
    refuses: conflict,
  }),
  giveDestination: post('/api/user/payouts/:id/destination', 'trader', {
    summary: 'Give the payment of a payout another destination: it failed, came back, or is not sent and not checked',
    params: payoutPath,
    body: NewDestination,
    answer: answer('The destination afterwards', DestinationGiven),
    refuses: { ...conflict, ...throttled },
  }),
  payouts: get('/api/admin/payouts', 'read', {
    summary: 'All payout requests with their users',
    query: PayoutList,
    paged: true,
    position: 'waits',
    answer: answer('A page of payout requests', z.array(AdminPayout)),
  }),
  payoutFigures: get('/api/admin/payouts/figures', 'read', {
    summary: 'How many payouts the filtered list has, and what they come to',
    query: PayoutExport,
    position: 'waits',
    answer: answer('The sums', PayoutFigures),
  }),
  payoutTotals: post('/api/admin/payouts/totals', 'read', {
    summary: 'What selected payouts come to, in dollars and at a rate in euro; an unknown one refuses all',
    reads: true,
    body: SelectedPayouts,
    answer: answer('The totals', PayoutTotals),
    refuses: notFound,
  }),
  payoutContext: get('/api/admin/payouts/:id/context', 'read', {
    summary: 'What a verdict on a payout depends on: warnings, where the account stands, and other payouts',
    params: payoutPath,
    position: 'waits',
    answer: answer('The payout with its context', PayoutContext),
  }),
  payoutsExport: get('/api/admin/payouts.csv', 'export', {
    summary: 'The filtered list of payout requests as CSV, without pagination',
    query: PayoutExport,
    position: 'waits',
    answer: file(CSV_TYPE),
    refuses: throttled,
  }),
  changePayment: patch('/api/admin/payouts/:id/payment', 'decide-payouts', {
    summary: 'Record what became of the payment of an approved payout, put it on hold, or release it',
    params: payoutPath,
    body: PaymentChange,
    answer: answer('The payment afterwards', PaymentChanged),
    refuses: conflict,
  }),
  changeDestination: post('/api/admin/payouts/:id/destination', 'decide-payouts', {
    summary:
      'Give the payment of a payout another destination, with a reason; with SECOND_CONFIRMATION=batches it counts once another member gives the same',
    params: payoutPath,
    body: NewDestinationByStaff,
    answer: answer('The destination afterwards; before the second member, that before', DestinationGiven),
    refuses: conflict,
  }),
  decidePayout: patch('/api/admin/payouts/:id', 'decide-payouts', {
    summary:
      'Approve a payout request, or reject it with notes and a reason; above SECOND_APPROVAL_ABOVE the first approval, or the first forfeit, leaves it pending',
    params: payoutPath,
    headers: {
      [BASED_ON_HEADER]: {
        schema: BasedOnHeader,
        description:
          "The payout's firstApproval.at, firstForfeit.at or decidedAt as it was seen, or 'undecided': a verdict or first approval given since is then not overruled, but named in a 409",
      },
    },
    body: PayoutVerdict,
    answer: answer("The payout's status afterwards", VerdictGiven),
    refuses: notAvailable,
  }),
}
