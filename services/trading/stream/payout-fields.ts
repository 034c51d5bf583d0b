import { z } from 'zod'
import { isoTime } from '#services/framework/event-description.ts'
import { Money } from '#services/framework/api/money.ts'
import { component, described, namedObject } from '#services/framework/api/openapi-component.ts'
import { INVALID } from '#services/framework/api/text.ts'
import type { ItemField } from '#services/framework/shown-state.ts'
import { toDecimal } from '#services/rules/money.ts'
import { destination, destinationText, fullDestination } from './destination-vocabulary.ts'
import { overdueOf } from './payout-promise.ts'
import type { Payout } from './payout.ts'
import {
  payeeChecks,
  paymentStates,
  payoutMethodLabels,
  payoutMethods,
  payoutStatuses,
  payoutStatusLabels,
  payoutStatusTones,
  promiseKinds,
} from './payout-vocabulary.ts'
import { rejectedMoney, rejectedMoneyLabels, rejectionCodeLabels, rejectionCodes } from './rejection-vocabulary.ts'

/**
 * The fields of a payout (specification §7): how each is answered, and how people read it. Schemas, answers, the audit,
 * and the columns of files and tables are derived from here.
 */

export const PayoutMethod = component(
  'PayoutMethod',
  z.enum(payoutMethods, { error: 'Please select a payment method' }),
)
export type PayoutMethod = z.infer<typeof PayoutMethod>

export const PayoutStatus = component('PayoutStatus', z.enum(payoutStatuses, { error: INVALID }))

/** Where the money of an approved payout is. */
export const Payment = namedObject('Payment', {
  state: z.enum(paymentStates),
  reference: z.string().nullable(),
  batch: z.string().nullable(),
  reason: described('Why it failed or came back; null where that is not known', z.string().nullable()),
  payee: described(
    "What the payee's bank said of name and account under this reference; absent before",
    z.enum(payeeChecks).optional(),
  ),
  exchanged: described(
    'What was sent in another currency under this reference, and euro for one dollar; absent for dollars',
    z.object({ currency: z.string(), amount: Money, rate: z.string() }).optional(),
  ),
  at: described('Since when it is in this state', z.iso.datetime()),
})
export type Payment = z.infer<typeof Payment>

export const PayoutHold = z.object({ reason: z.string(), at: z.iso.datetime() })

const by = z.iso.datetime().nullable()
const PromiseAnswer = namedObject('PayoutPromise', {
  decideBy: described('With the length of holds that ended; null where no decision is promised', by),
  sendBy: described('From the approval in force; null without one', by),
  overdue: described('Recorded, and not done yet; null while a hold stops the clock', z.enum(promiseKinds).nullable()),
  missed: described(
    'By how many seconds, rounded up',
    z.array(z.object({ of: z.enum(promiseKinds), seconds: z.int() })),
  ),
})

/** A finding or an observation of the account. */
const event = described('The number of the entry that raised the finding, or last recorded the observation', z.int())
export const RejectionEvidence = component(
  'RejectionEvidence',
  z.union([z.object({ finding: z.string(), event }), z.object({ observation: z.string(), event })]),
)

/** Answers need these fields of a payout. */
export type AnsweredPayout = Omit<
  Payout,
  'payment' | 'firstApproval' | 'firstForfeit' | 'holdChangedAt' | 'holdRevision' | 'attempts' | 'former' | 'proposal'
> & {
  readonly payment: Omit<NonNullable<Payout['payment']>, 'owedAs'> | null
}

interface Field<Answer, Shown extends ItemField | null = ItemField | null> {
  /** Its schema in answers. */
  readonly answer: z.ZodType<Answer>
  of(payout: AnsweredPayout): Answer
  /** How people read it; null where it is no simple value. */
  readonly shown: Shown
  /** Its heading in the administrators' file, if it is there, and its cell, if that is not the answer itself. */
  readonly heading?: string
  cell?(answer: Answer): string
  /** A further column of the trader's history and of the administrators' table. */
  readonly inTables?: true
}

const field = <Answer, Shown extends ItemField | null>(
  answer: z.ZodType<Answer>,
  of: (payout: AnsweredPayout) => Answer,
  shown: Shown,
  more: Pick<Field<Answer>, 'heading' | 'cell' | 'inTables'> = {},
): Field<Answer, Shown> => ({ answer, of, shown, ...more })
const time = z.iso.datetime()
const inLine = { place: 'line', hiddenInObject: true } as const

export const payoutFields = {
  amount: field(
    Money,
    ({ amount }) => toDecimal(amount),
    { label: 'Amount', kind: 'money', place: 'value' },
    { heading: 'Amount' },
  ),
  paymentMethod: field(
    PayoutMethod,
    ({ method }) => method,
    { label: 'Payment Method', kind: 'choice', words: payoutMethodLabels, place: 'value', lead: 'by' },
    { heading: 'Payment Method', cell: (method) => payoutMethodLabels[method] },
  ),
  paymentDetails: field(
    z.string(),
    (payout) => destinationText(payout.details, payout.destination),
    { label: 'Payment Details', kind: 'text', place: 'line' },
    { heading: 'Payment Details' },
  ),
  destination: field(
    described('Null where it was not checked', destination.nullable()),
    (payout) => payout.destination,
    null,
    { heading: 'Destination', cell: (to) => (to ? fullDestination(to) : '') },
  ),
  status: field(
    PayoutStatus,
    ({ status }) => status,
    { label: 'Status', kind: 'status', words: payoutStatusLabels, tones: payoutStatusTones, place: 'status' },
    { heading: 'Status' },
  ),
  createdAt: field(
    time,
    ({ requestedAt }) => isoTime(requestedAt),
    { label: 'Created', kind: 'time', lead: 'Requested', ...inLine },
    { heading: 'Requested' },
  ),
  decidedAt: field(
    time.nullable(),
    ({ decidedAt }) => (decidedAt === null ? null : isoTime(decidedAt)),
    { label: 'Decided', kind: 'time', lead: 'Decided', ...inLine },
    { heading: 'Decided' },
  ),
  traderReceives: field(
    Money.nullable(),
    ({ shares }) => shares && toDecimal(shares.trader),
    { label: 'Trader Receives', kind: 'money', place: 'line', lead: 'Trader receives' },
    { heading: 'Trader Receives' },
  ),
  firmKeeps: field(Money.nullable(), ({ shares }) => shares && toDecimal(shares.firm), {
    label: 'Firm Keeps',
    kind: 'money',
    place: 'line',
    lead: 'Firm keeps',
  }),
  deducted: field(
    described('Its amount has left the balance of the account', z.boolean()),
    ({ deducted }) => deducted,
    { ...inLine, label: 'Deducted from the balance', kind: 'choice', words: { true: 'Yes', false: 'No' }, place: null },
  ),
  payment: field(
    described('Null unless it is approved', Payment.nullable()),
    ({ payment }) => payment && paymentAnswer(payment),
    null,
    { heading: 'Payment', cell: (payment) => payment?.state ?? '' },
  ),
  hold: field(
    described(
      'Why its payment waits until somebody releases it, and since when; null where it does not',
      PayoutHold.nullable(),
    ),
    ({ hold }) => hold && { reason: hold.reason, at: isoTime(hold.at) },
    null,
    { heading: 'Hold', cell: (hold) => hold?.reason ?? '' },
  ),
  code: field(
    described('Why it was rejected; null unless it is', z.enum(rejectionCodes).nullable()),
    ({ rejection }) => rejection && rejection.code,
    {
      label: 'Reason',
      kind: 'choice',
      words: rejectionCodeLabels,
      unset: 'none',
      place: 'line',
      lead: 'Rejected for',
      hiddenInObject: true,
    },
    { heading: 'Code', cell: (code) => code ?? '' },
  ),
  money: field(
    described(
      "What becomes of the amount of a rejected one: 'stays' in the account, or was 'forfeited'; null unless it is rejected",
      z.enum(rejectedMoney).nullable(),
    ),
    ({ rejection }) => rejection && rejection.money,
    {
      label: 'The Money',
      kind: 'choice',
      words: rejectedMoneyLabels,
      unset: 'none',
      place: 'line',
      lead: 'The money:',
      hiddenInObject: true,
    },
    { heading: 'Money', cell: (money) => money ?? '' },
  ),
  evidence: field(
    described('What shows why it was rejected; empty unless it is', RejectionEvidence.array()),
    ({ rejection }) => (rejection?.evidence ?? []).map((item) => ({ ...item, event: item.event.number })),
    null,
    {
      heading: 'Evidence',
      cell: (evidence) => evidence.map((item) => ('finding' in item ? item.finding : item.observation)).join(' '),
    },
  ),
  promise: field(
    described(
      'Until when it is promised to be decided and sent; null where nothing is promised',
      PromiseAnswer.nullable(),
    ),
    promiseAnswer,
    null,
    { heading: 'Overdue', cell: (promise) => promise?.overdue ?? '' },
  ),
  adminNotes: field(
    z.string().nullable(),
    ({ notes }) => notes || null,
    { label: 'Notes', kind: 'text', lead: 'Notes:', ...inLine },
    { heading: 'Admin Notes' },
  ),
}

function promiseAnswer({ status, promise }: AnsweredPayout): z.infer<typeof PromiseAnswer> | null {
  if (!promise) return null
  const { decideBy, sendBy, missed } = promise
  const timeOf = (at: number | null) => (at === null ? null : isoTime(at))
  const overdue = overdueOf({ status, promise })
  return { decideBy: timeOf(decideBy), sendBy: timeOf(sendBy), overdue, missed: [...missed] }
}

function paymentAnswer({
  state,
  reference,
  batch,
  reason,
  payee,
  exchanged,
  at,
}: NonNullable<AnsweredPayout['payment']>): Payment {
  const euro = exchanged && { exchanged: { ...exchanged, amount: toDecimal(exchanged.amount) } }
  return { state, reference, batch, reason: reason || null, ...(payee && { payee }), ...euro, at: isoTime(at) }
}

type Fields = typeof payoutFields
export type PayoutFieldName = keyof Fields
type Answers = { [Name in PayoutFieldName]: z.output<Fields[Name]['answer']> }
type ShownName = { [Name in PayoutFieldName]: Fields[Name]['shown'] extends null ? never : Name }[PayoutFieldName]

const names = Object.keys(payoutFields).filter((name): name is PayoutFieldName => Object.hasOwn(payoutFields, name))

/** TypeScript cannot see that the loop sets every name, nor that each value has the type of its row. */
function eachField<Values>(make: (row: Field<unknown>) => unknown, some: readonly PayoutFieldName[] = names): Values {
  return Object.fromEntries(some.map((name) => [name, make(payoutFields[name])])) as Values
}

/** The schemas of the fields in answers. */
export const payoutShape = eachField<{ [Name in PayoutFieldName]: Fields[Name]['answer'] }>((row) => row.answer)

/** The fields of a payout in an answer, and no other property of it. */
export function payoutAnswer(payout: AnsweredPayout): Answers & Pick<Payout, 'id'> {
  return { id: payout.id, ...eachField<Answers>((row) => row.of(payout)) }
}

/** The schemas of {@link payoutItem}, without the id. */
export const payoutItemShape = {
  ...z.object(payoutShape).omit({ destination: true, evidence: true, promise: true }).shape,
  hold: z.string().nullable(),
  payment: Payment.shape.state.nullable(),
  reference: z.string().nullable(),
  payee: z.enum(payeeChecks).nullable(),
}

/** A payout in simple values, for the audit. */
export function payoutItem(payout: AnsweredPayout) {
  const { destination: _, evidence: _evidence, promise: _promise, hold, payment, ...simple } = payoutAnswer(payout)
  const { state = null, reference = null, payee = null } = payment ?? {}
  return { ...simple, hold: hold?.reason ?? null, payment: state, reference, payee }
}

/** How people read the fields that have simple values. */
export const shownFields = eachField<Record<ShownName, ItemField>>((row) => row.shown, names.filter(isShown))

/** The further columns of tables: of the trader's history and of the administrators'. */
export const tableFields = names.filter(isShown).filter((name) => rowOf(name).inTables === true)

function isShown(name: PayoutFieldName): name is ShownName {
  return rowOf(name).shown !== null
}

function rowOf(name: PayoutFieldName): Field<unknown> {
  return payoutFields[name]
}

/** The columns of some fields in the administrators' file, or of all. */
export function fileColumns(...some: PayoutFieldName[]): Readonly<Record<string, (payout: Answers) => string>> {
  const columns = (some.length > 0 ? some : names).flatMap((name) => {
    const { heading, cell = String } = rowOf(name)
    return heading === undefined
      ? []
      : [[heading, ({ [name]: answer }: Answers) => (answer === null ? '' : cell(answer))] as const]
  })
  return Object.fromEntries(columns)
}
