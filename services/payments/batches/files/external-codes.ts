import type { AnsweredState } from './bank-answer.ts'
import type { RemedyOfReason } from './external-reasons.ts'
import type { PayeeCheck } from '#services/trading/stream/payout-vocabulary.ts'

/**
 * What the codes of ISO 20022's external code sets mean here, in our own words. A test holds each set against the
 * published one, code by code. Banks use further codes of their own: they are listed, and change nothing.
 */

/** The edition that these tables were written from, and how many codes each set of it has. */
export const externalCodeSets = {
  edition: '2Q2026_v3',
  source: 'iso20022.org, External Code Sets',
  readOn: '2026-11-27',
  sizes: {
    ExternalPaymentGroupStatus1Code: 13,
    ExternalPaymentTransactionStatus1Code: 25,
    ExternalStatusReason1Code: 315,
    ExternalReturnReason1Code: 104,
    ExternalVerificationReason1Code: 16,
  },
} as const

/** A status of an order, of a part of it, or of one payment. */
export interface StatusMeaning {
  readonly words: string
  /** What it makes of a payment; null where it changes nothing. */
  readonly state: Exclude<AnsweredState, 'returned'> | null
  /** What the bank of the payee said of name and account. */
  readonly payee?: PayeeCheck
  /** Where something is to be done, who can. */
  readonly remedy?: RemedyOfReason
  /** Its parts differ, and each has a status of its own. */
  readonly isMixed?: true
}

const common = {
  ACCC: { words: 'credited to the payee', state: 'paid' },
  ACCP: { words: 'accepted, the order was checked', state: 'sent' },
  ACSC: { words: 'settled', state: 'paid' },
  ACSP: { words: 'accepted for execution', state: 'sent' },
  ACTC: { words: 'the form of the order is right', state: 'sent' },
  ACWC: { words: 'accepted with a change, such as the date', state: 'sent' },
  PDNG: { words: 'pending, the bank checks further', state: 'sent' },
  RCVD: { words: 'received', state: 'sent' },
  RJCT: { words: 'rejected', state: 'failed' },
  RVNC: { words: 'the names of payees are still being checked', state: null },
} as const satisfies Readonly<Record<string, StatusMeaning>>

/** ExternalPaymentGroupStatus1Code: of an order, or of an instruction in it. */
export const groupStatuses: ReadonlyMap<string, StatusMeaning> = new Map<string, StatusMeaning>(
  Object.entries({
    ...common,
    PART: { words: 'some payments are accepted, others not yet', state: null, isMixed: true },
    RCVC: { words: 'the names of all payees match their accounts', state: null, payee: 'match' },
    // Which of them do not match is said of each alone.
    RVCM: { words: 'the names of some payees do not match their accounts', state: null },
  }),
)

/** ExternalPaymentTransactionStatus1Code: of one payment. */
export const paymentStatuses: ReadonlyMap<string, StatusMeaning> = new Map<string, StatusMeaning>(
  Object.entries({
    ...common,
    ACFC: { words: 'accepted, the funds are there', state: 'sent' },
    ACFW: { words: 'accepted, the funds are there; the order has to be confirmed', state: 'sent', remedy: 'firm' },
    ACIS: { words: 'a cheque was issued, which nobody cashed yet', state: 'sent' },
    ACPD: { words: 'accepted by the clearing', state: 'sent' },
    ACWP: { words: "accepted by the payee's bank, not yet credited", state: 'sent' },
    BLCK: { words: "blocked at the payee's bank: neither credited nor returned", state: 'sent', remedy: 'bank' },
    CANC: { words: 'cancelled on request', state: 'failed' },
    CPUC: { words: 'the payee picked up the cash', state: 'paid' },
    PATC: { words: 'further signatures are missing', state: 'sent', remedy: 'firm' },
    PRES: { words: 'a request for payment was presented', state: null },
    RCVC: { words: 'the name matches the account', state: null, payee: 'match' },
    RVCM: { words: 'the name does not match the account', state: null, payee: 'no-match' },
    RVMC: { words: 'the name is close to that of the account', state: null, payee: 'close-match' },
    RVNA: { words: 'the name could not be checked', state: null, payee: 'not-possible' },
    RVNM: { words: 'the name does not match the account', state: null, payee: 'no-match' },
  }),
)
