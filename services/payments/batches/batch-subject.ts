import { subject, type Subject } from '#services/framework/subject.ts'
import { batchRoutes } from './batch-api.ts'
import { type BatchEvent, batchEvents, batchStreams, totalOf } from './batch.ts'
import { codeLabels } from './coin-code-vocabulary.ts'
import { type CoinCodeEvent, coinCodeEvents, coinCodes } from './coin-codes.ts'
import { type FirmAccountEvent, firmAccountEvents, firmAccounts } from './firm-account.ts'
import { bothWays, type PaymentRateEvent, paymentRateEvents, paymentRates } from './payment-rate.ts'
import { toDecimal } from '#services/rules/money.ts'
import { change, changesBetween, type EventDescriptions } from '#services/framework/event-description.ts'

const category = 'batches'

const batchDescriptions = {
  BatchMade: {
    title: 'Batch of payments made',
    category,
    changes: ({ data: { format, currency, rate, rateSource, items } }) => [
      change('batch.format', null, format),
      change('batch.payments', null, String(items.length)),
      change('batch.total', null, `${toDecimal(totalOf(items))} ${currency}`),
      ...(rate === null ? [] : [change('batch.rate', null, rateSource ? `${rate} (${rateSource})` : rate)]),
    ],
  },
  BatchItemRemoved: {
    title: 'Payment taken out of a batch',
    category,
    changes: ({ data: { reference } }) => [change('batch.reference', reference, null)],
    reason: ({ reason }) => reason,
  },
  BatchReleaseBegun: {
    title: 'Release of a batch begun',
    category,
    changes: ({ data: { payer } }) => [change('batch.payer', null, payer && `${payer.name}, ${payer.iban}`)],
  },
  BatchReleased: {
    title: 'Batch of payments released',
    category,
    changes: ({ data: { count, sha256, sha256ForPeople } }) => [
      change('batch.payments', null, String(count)),
      change('batch.sha256', null, sha256),
      ...(sha256ForPeople === undefined ? [] : [change('batch.sha256ForPeople', null, sha256ForPeople)]),
    ],
  },
  BatchCancelled: { title: 'Batch of payments cancelled', category },
  FirmAccountChanged: {
    title: "Firm's account changed",
    category,
    changes: ({ data: { from, to } }) => changesBetween('firmAccount', { ...from }, { ...to }),
  },
  CoinCodesChanged: {
    title: 'Codes of coins changed',
    category,
    changes: ({ data: { from, to } }) => changesBetween('coinCodes', from, to),
  },
  PaymentRateUsed: {
    title: 'Rate of a batch kept, to compare the next one with',
    category,
    changes: ({ data: { rate, source } }) => [
      change('batch.rate', null, source ? `${bothWays(rate)} (${source})` : bothWays(rate)),
    ],
  },
} as const satisfies EventDescriptions<BatchEvent | CoinCodeEvent | FirmAccountEvent | PaymentRateEvent>

/** The fields that these events name. */
const batchShown = {
  batch: {
    fields: {
      format: { label: 'Format', kind: 'text', ofAction: true },
      payments: { label: 'Payments', kind: 'text', ofAction: true },
      total: { label: 'Total', kind: 'text', ofAction: true },
      rate: { label: 'Euro for one dollar', kind: 'text', ofAction: true },
      reference: { label: 'Reference', kind: 'text', ofAction: true },
      payer: { label: 'Paid from', kind: 'text', ofAction: true },
      sha256: { label: 'SHA-256 of the file', kind: 'text', ofAction: true },
      sha256ForPeople: { label: 'SHA-256 of the file for people', kind: 'text', ofAction: true },
    },
  },
  firmAccount: {
    fields: {
      name: { label: 'Name', kind: 'text' },
      iban: { label: 'IBAN', kind: 'text' },
      bic: { label: 'BIC', kind: 'text' },
    },
  },
  coinCodes: {
    fields: Object.fromEntries(Object.entries(codeLabels).map(([name, label]) => [name, { label, kind: 'text' }])),
  },
} as const satisfies Subject['shown']

/** Batches of payments: the half that runs anywhere. */
export const batchSubject = subject({
  title: 'Batches',
  about: 'Payments that leave in one file, and what banks answer',
  events: { ...batchEvents, ...coinCodeEvents, ...firmAccountEvents, ...paymentRateEvents },
  aggregates: [batchStreams, coinCodes, firmAccounts, paymentRates],
  descriptions: batchDescriptions,
  shown: batchShown,
  categories: { batches: { label: 'Batches', group: 'payments', staffOnly: true, isDecision: true } },
  routes: batchRoutes,
})
