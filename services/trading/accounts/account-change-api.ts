import { decimalText, money } from '#services/framework/api/money.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { accountPath, answer, conflict, patch, post, throttled, userPath } from '#services/framework/api/route.ts'
import {
  HIDDEN,
  INVALID,
  LONGEST_NOTE,
  LONGEST_TEXT,
  namedRequest,
  passwordText,
  requiredNote,
  text,
  trimmedNote,
} from '#services/framework/api/text.ts'
import { givenTerms } from '#services/programmes/programmes/late-terms-api.ts'
import { platforms } from '#services/trading/stream/account-vocabulary.ts'
import { AccountStatus, EventNumber, EvidenceGiven, OwnAccountQuery } from './account-api.ts'
import { type AccountField, accountFieldNames, byKind } from './account-fields.ts'
import { z } from 'zod'

/** What staff change of an account. */

/** Answers for staff show this in place of a master password. Sent back, it changes nothing. */
const MASKED = HIDDEN

/** An empty form field clears the value. */
function cleared(value: string | null): string | null {
  return value === null || value.trim() === '' ? null : value
}

const clearable = text(LONGEST_TEXT).nullable().transform(cleared).optional()
const clearablePassword = passwordText(LONGEST_TEXT).nullable().transform(cleared).optional()

const clearablePlatform = z
  .enum([...platforms, ''], { error: INVALID })
  .nullable()
  .transform((value) => value || null)
  .optional()

/** Stored as text (specification §3), though a number may be sent. */
const target = z
  .union([text(LONGEST_TEXT), z.number(), z.null()], { error: INVALID })
  .transform((value) => cleared(typeof value === 'number' ? decimalText(value) : value))
  .optional()

const MOST_DOLLARS = 1_000_000_000_000

/** Messages call it 'Profit/loss'. */
function amount({ label }: AccountField) {
  return money({ subject: label.charAt(0) + label.slice(1).toLowerCase(), most: MOST_DOLLARS }).optional()
}

/** POST and PATCH /api/admin/user/:id/account: an absent field is unchanged; null or '' clears a text. */
export const AccountChanges = namedRequest('AccountChanges', {
  ...byKind(accountFieldNames, {
    money: amount,
    profit: amount,
    status: () => AccountStatus.optional(),
    switch: () => z.boolean({ error: INVALID }).optional(),
    platform: () => clearablePlatform,
    text: () => clearable,
    limit: () => clearable,
    target: () => target,
    secret: () => clearablePassword.transform((text) => (text === MASKED ? undefined : text)),
  }),
  terms: described(
    'The terms of payouts: a programme of one funded stage in US dollars, which begins with the balance of this moment; null for none',
    givenTerms.schema.nullable().optional(),
  ),
  reason: described(
    'The reason, shown to the trader; recorded with a new status and with new limits',
    trimmedNote(LONGEST_NOTE).nullish(),
  ),
  evidence: described("The evidence of a breach; only with the status 'breached'", EvidenceGiven.nullish()),
  corrects: described(
    'The number of the mistaken breach; only with the status that ends it, and a reason',
    EventNumber.nullish(),
  ),
})
export type AccountChanges = z.infer<typeof AccountChanges>

const { platform, login, masterPassword, server } = AccountChanges.shape

/** POST /api/admin/accounts/:id/login: an absent field is unchanged; null or '' clears it. */
export const LoginGiven = namedRequest('LoginGiven', { platform, login, masterPassword, server })

/** POST /api/admin/accounts/:id/close */
export const AccountClosing = namedRequest('AccountClosing', {
  reason: requiredNote(LONGEST_NOTE, 'Please say why this account is closed'),
})

/** POST /api/admin/user/:id/accounts */
export const OpenedAccount = namedObject('OpenedAccount', { id: z.string() })

/** POST /api/admin/user/:id/account/master-password */
export const ShownPassword = namedObject('ShownPassword', { masterPassword: z.string() })

/** The calls that change a trading account. */
export const accountChangeRoutes = {
  setAccount: post('/api/admin/user/:id/account', 'change-accounts', {
    summary: "Set the first values of a new user's trading account",
    params: userPath,
    body: AccountChanges,
    refuses: conflict,
  }),
  changeCurrentAccount: patch('/api/admin/user/:id/account', 'change-accounts', {
    summary: "Change a user's current trading account; absent fields are unchanged",
    params: userPath,
    body: AccountChanges,
    refuses: conflict,
  }),
  openAccount: post('/api/admin/user/:id/accounts', 'change-accounts', {
    summary: 'Open a further account of a user, with its first values',
    params: userPath,
    body: AccountChanges,
    status: 201,
    answer: answer('The id of the account', OpenedAccount),
    refuses: conflict,
  }),
  changeAccount: patch('/api/admin/accounts/:id', 'change-accounts', {
    summary: 'Change a trading account; absent fields are unchanged',
    params: accountPath,
    body: AccountChanges,
    refuses: conflict,
  }),
  assignLogin: post('/api/admin/accounts/:id/login', 'do-tasks', {
    summary: 'Give an account its login on the trading platform; absent fields are unchanged',
    params: accountPath,
    body: LoginGiven,
    refuses: conflict,
  }),
  enablePayouts: post('/api/admin/accounts/:id/payouts-enabled', 'do-tasks', {
    summary: 'Enable payouts of an account; under a programme, of a funded one',
    params: accountPath,
    refuses: conflict,
  }),
  closeAccount: post('/api/admin/accounts/:id/close', 'change-accounts', {
    summary: 'Close an account for good; its login is free again',
    params: accountPath,
    body: AccountClosing,
    refuses: conflict,
  }),
  showMasterPassword: post('/api/admin/user/:id/account/master-password', 'show-passwords', {
    summary: "Show the master password of a user's account; it is recorded, and the trader sees it in the history",
    params: userPath,
    query: OwnAccountQuery,
    answer: answer('The master password', ShownPassword),
    refuses: { ...conflict, ...throttled },
  }),
}
