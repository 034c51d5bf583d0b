import { batchId } from '#services/framework/ids.ts'
import { z } from 'zod'
import { ErrorAnswer } from '#services/framework/api/error-schemas.ts'
import { exchangeRate, Money } from '#services/framework/api/money.ts'
import { component, described, namedObject } from '#services/framework/api/openapi-component.ts'
import { page } from '#services/framework/api/pagination-schemas.ts'
import { answer, conflict, CSV_TYPE, file, get, patch, post, throttled, pathOf } from '#services/framework/api/route.ts'
import { Stamp } from '#services/framework/api/stamp-schemas.ts'
import {
  code,
  INVALID,
  LONGEST_TEXT,
  missingOrInvalid,
  namedRequest,
  requiredText,
  request,
  trimmedText,
} from '#services/framework/api/text.ts'
import { payoutIds } from '#services/payments/payouts/payout-api.ts'
import { Payment, PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import { payeeChecks } from '#services/trading/stream/payout-vocabulary.ts'
import { XLSX_TYPE } from './batch-vocabulary.ts'
import {
  answerFormats,
  answerOutcomes,
  batchCurrencies,
  batchFormats,
  batchStates,
  LARGEST_ANSWER_FILE,
} from './batch-vocabulary.ts'

import { codeLabels } from './coin-code-vocabulary.ts'

/** Batches of payments, their files, and the answers of banks. */

/** POST /api/admin/batches */
export const NewBatch = component(
  'NewBatch',
  request({
    format: z.enum(batchFormats, { error: missingOrInvalid }),
    payouts: described('The ids of approved payouts of one method', payoutIds),
    currency: described("EUR for 'pain.001'", z.enum(batchCurrencies, { error: missingOrInvalid })),
    rate: described('Euro for one dollar, with at most 6 decimal places: of a batch in euro', exchangeRate.optional()),
    rateSource: described('Source of the rate', trimmedText(LONGEST_TEXT).optional()),
    rateConfirmed: described(
      'Whether the rate is right although it is more than 10 % from that of the last batch, or nearer to its inverse',
      z.boolean({ error: INVALID }).optional(),
    ),
  }),
)
export type NewBatch = z.infer<typeof NewBatch>

const Amount = component('BatchAmount', z.string().regex(/^\d+\.\d{2}$/), "In the batch's currency, such as '2944.00'")

const Item = z.object({
  payoutId: z.string(),
  reference: described('The end-to-end id of the payment', z.string()),
  amount: Amount,
})

const batchFields = {
  id: z.string(),
  state: z.enum(batchStates),
  format: z.enum(batchFormats),
  currency: z.enum(batchCurrencies),
  rate: described('Euro for one dollar; null for dollars', z.string().nullable()),
  rateSource: z.string().nullable(),
  count: z.int().nonnegative(),
  total: Amount,
  maker: described('The id of the member of staff who made it', z.string()),
  releaser: described('The id of the member who released it; null before', z.string().nullable()),
  settled: described('Whether all its payments are paid, but for those that left it, for another batch', z.boolean()),
  file: described(
    'The SHA-256 of its two files, lower-case hex; null before the release',
    z
      .object({
        sha256: z.string(),
        sha256ForPeople: described('Null for a batch that was released before 0.3.0', z.string().nullable()),
      })
      .nullable(),
  ),
}

export const Batch = namedObject('Batch', { ...batchFields, items: z.array(Item) })
export type Batch = z.infer<typeof Batch>

const stamps = z.object({ made: Stamp, released: Stamp.nullable() })

export const ListedBatch = namedObject('ListedBatch', {
  ...batchFields,
  stamps,
  payments: described(
    'How many of its payments are in each state, once it is released',
    z.array(z.object({ state: Payment.shape.state, count: z.int().positive() })),
  ),
})
export type ListedBatch = z.infer<typeof ListedBatch>

/** GET /api/admin/batches/:id */
export const BatchDetails = namedObject('BatchDetails', {
  ...batchFields,
  stamps,
  method: described('How its payments are paid; null without any', PayoutMethod.nullable()),
  needsAnother: described('Whether another member of staff than its maker has to release it', z.boolean()),
  items: z.array(
    Item.extend({
      userId: z.string(),
      fullName: z.string(),
      destination: described('Where the money goes, in full; null once the person is erased', z.string().nullable()),
      traderReceives: described('In dollars; null once the approval was taken back', Money.nullable()),
      payment: described('State of the payment; null once it is in another batch', Payment.shape.state.nullable()),
      payee: described("What the payee's bank said of name and account", z.enum(payeeChecks).nullable()),
      reason: described('Why it failed or came back', z.string().nullable()),
      notice: described('Difference between the file and the destination', z.string().nullable()),
    }),
  ),
  removed: described('The payments that left the batch', z.array(Item.extend({ reason: z.string() }))),
})
export type BatchDetails = z.infer<typeof BatchDetails>

const Problem = z.object({ payoutId: z.string(), reason: z.string() })
export type BatchProblem = z.infer<typeof Problem>

/** Payouts that do not fit: then nothing is made or released. */
export const BatchRefusal = namedObject('BatchRefusal', { message: z.string(), problems: z.array(Problem) })
export type BatchRefusal = z.infer<typeof BatchRefusal>

const problems = {
  409: answer('The current state does not allow it, or payouts do not fit', z.union([BatchRefusal, ErrorAnswer])),
}

/** PATCH /api/admin/system/firm-account */
export const FirmAccountChange = namedRequest('FirmAccountChange', {
  name: requiredText(140),
  iban: requiredText(50),
  bic: requiredText(20),
})

export const FirmAccountAnswer = namedObject('FirmAccount', {
  account: described(
    'Null until it is set',
    z.object({ name: z.string(), iban: z.string(), bic: z.string() }).nullable(),
  ),
})
export type FirmAccountAnswer = z.infer<typeof FirmAccountAnswer>

const providerCode = code(
  /^[A-Za-z0-9][A-Za-z0-9 ._:/()-]{0,39}$/,
  40,
  'Please enter a code of letters, digits, blanks and . _ : / ( ) -',
)

/** PATCH /api/admin/system/coin-codes */
export const CoinCodesChange = component(
  'CoinCodesChange',
  request(
    Object.fromEntries(
      Object.entries(codeLabels).map(([name, label]) => [name, described(label, providerCode.optional())]),
    ),
  ).refine((codes) => Object.values(codes).some((one) => one !== undefined), {
    error: 'Please give at least one code',
    path: ['codes'],
  }),
)

export const CoinCodesAnswer = namedObject('CoinCodes', {
  codes: described(
    'By coin and network, such as `USDC_ERC20`, and by network; ours where none is set',
    z.record(z.string(), z.string()),
  ),
})

export const ANSWER_FIELD = 'answerFile'
export const answerFileMessages = {
  required: 'Please choose the file of the bank',
  tooLarge: 'File size must be less than 4MB',
} as const

/** POST /api/admin/payments/answers: the field beside the file. */
export const AnswerUpload = namedRequest('AnswerUpload', {
  format: z.enum(answerFormats, { error: missingOrInvalid }),
})

export const AnswerRow = namedObject('AnswerRow', {
  index: described(
    'Index of the answer in the file, from 0; an answer about a whole batch is repeated for each of its payments',
    z.int(),
  ),
  reference: z.string(),
  outcome: described(
    'Only `recorded` moved a payment; `noted` is known, has its meaning as the reason, and moves none',
    z.enum(answerOutcomes),
  ),
  reason: described('Why it moved nothing', z.string().nullable()),
  said: described('What the bank says, in words', z.string().nullable()),
  payee: described("What the payee's bank says of name and account", z.enum(payeeChecks).nullable()),
  payoutId: described('Null where it is about no payment of ours, or about a whole batch', z.string().nullable()),
  trader: described('The full name', z.string().nullable()),
  amount: described('As it was ordered', Amount.nullable()),
  currency: z.enum(batchCurrencies).nullable(),
  payment: described('State of the payment now', Payment.shape.state.nullable()),
  next: described('What to do next, as a sentence; null where nothing is to be done', z.string().nullable()),
})
export type AnswerRow = z.infer<typeof AnswerRow>

/** GET /api/admin/batches */
export const BatchList = page(z.enum(batchStates, { error: INVALID }), []).omit({ search: true, sort: true })

/** The file of a batch that programs read, or the one for people. */
const WhichFile = request({
  for: described(
    "'people': a spreadsheet whose cells are all text",
    z.enum(['programs', 'people'], { error: INVALID }).default('programs'),
  ),
})

const batchPath = pathOf("The batch's id", batchId, 'Batch not found')

/** The calls about batches. */
export const batchRoutes = {
  firmAccount: get('/api/admin/system/firm-account', 'read', {
    summary: 'The account that the firm pays from',
    position: 'waits',
    answer: answer('The account', FirmAccountAnswer),
  }),
  changeFirmAccount: patch('/api/admin/system/firm-account', 'manage-payments', {
    summary: 'Set the account that the firm pays from',
    body: FirmAccountChange,
  }),
  coinCodes: get('/api/admin/system/coin-codes', 'read', {
    summary: "What the firm's provider calls coins and networks",
    position: 'waits',
    answer: answer('The codes', CoinCodesAnswer),
  }),
  changeCoinCodes: patch('/api/admin/system/coin-codes', 'manage-payments', {
    summary: "Set what the firm's provider calls coins and networks; those that are not given stay",
    body: CoinCodesChange,
  }),
  batches: get('/api/admin/batches', 'read', {
    summary: 'The batches of payments, the newest first',
    query: BatchList,
    paged: true,
    position: 'waits',
    answer: answer('A page of batches', z.array(ListedBatch)),
  }),
  batch: get('/api/admin/batches/:id', 'read', {
    summary: 'A batch with its payments, and where their money is',
    params: batchPath,
    position: 'waits',
    answer: answer('The batch', BatchDetails),
  }),
  makeBatch: post('/api/admin/batches', 'decide-payouts', {
    summary: 'Collect approved payouts in a batch; one that does not fit is named, and nothing is made',
    body: NewBatch,
    answer: answer('The batch', Batch),
    status: 201,
    refuses: problems,
  }),
  releaseBatch: post('/api/admin/batches/:id/release', 'decide-payouts', {
    summary: 'Release a batch: its payments are sent, and its file can be taken; by another member under four eyes',
    params: batchPath,
    answer: answer('The batch', Batch),
    refuses: problems,
  }),
  cancelBatch: post('/api/admin/batches/:id/cancel', 'decide-payouts', {
    summary: 'Cancel a batch that is not released; its payments are owed again',
    params: batchPath,
    answer: answer('The batch', Batch),
    refuses: conflict,
  }),
  batchPreview: get('/api/admin/batches/:id/preview', 'decide-payouts', {
    summary: 'The content of a file of an open batch, as a release on this day makes it',
    params: batchPath,
    query: WhichFile,
    position: 'waits',
    answer: file('application/xml', CSV_TYPE, XLSX_TYPE),
    refuses: conflict,
  }),
  batchFile: get('/api/admin/batches/:id/file', 'export', {
    summary: 'A file of a released batch, the same bytes each time',
    params: batchPath,
    query: WhichFile,
    position: 'waits',
    answer: file('application/xml', CSV_TYPE, XLSX_TYPE),
    refuses: { ...conflict, ...throttled },
  }),
  recordAnswers: post('/api/admin/payments/answers', 'decide-payouts', {
    summary: "Record a bank's answers; an unknown reference or another amount changes nothing and is listed",
    body: AnswerUpload,
    upload: { field: ANSWER_FIELD, type: 'application/octet-stream', largest: LARGEST_ANSWER_FILE },
    answer: answer('The outcome of each answer', z.array(AnswerRow)),
  }),
}
