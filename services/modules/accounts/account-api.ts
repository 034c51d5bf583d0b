import { z } from 'zod'
import { type AccountField, accountFieldNames, byKind, responseFields } from './account-fields.ts'
import { EvidenceGiven, EventNumber, StatusStamp } from '#services/api/breach-schemas.ts'
import { component, described, namedObject } from '#services/api/openapi-component.ts'
import { decimalText, Money, money } from '#services/api/money.ts'
import { HIDDEN } from '#services/modules/event-description.ts'
import { ReasonedStamp, Stamp } from '#services/api/stamp-schemas.ts'
import { INVALID, LONGEST_NOTE, LONGEST_TEXT, namedRequest, text, trimmedText } from '#services/api/text.ts'
import { accountStatuses } from '#services/api/vocabulary.ts'

/** The trading account: what its owner sees, and what an administrator may set (specification §3, §7). */

export const AccountStatus = component('AccountStatus', z.enum(accountStatuses, { error: INVALID }))
export type AccountStatus = z.infer<typeof AccountStatus>

const optionalText = z.string().nullable()

/** Every field but the master password, as responses carry it. */
export const accountShape = byKind(responseFields, {
  money: () => Money,
  profit: () => Money,
  status: () => AccountStatus,
  switch: () => z.boolean(),
  text: () => optionalText,
  limit: () => optionalText,
  target: () => optionalText,
  secret: () => optionalText,
})

/** The newest decision about each part of an account; null without one. */
export const AccountStamps = namedObject('AccountStamps', {
  status: StatusStamp.nullable(),
  phase: Stamp.nullable(),
  limits: ReasonedStamp.nullable(),
  /** The enabling or disabling of payouts. */
  payouts: Stamp.nullable(),
})
export type AccountStamps = z.infer<typeof AccountStamps>

/** GET /api/user/account: always all eleven fields of specification §7, null where nothing is set, and their stamps. */
export const OwnAccount = namedObject('OwnAccount', { ...accountShape, masterPassword: optionalText, stamps: AccountStamps })
export type OwnAccount = z.infer<typeof OwnAccount>

/** What answers for staff show in place of a master password. Sent back, it changes nothing. */
const MASKED = HIDDEN

/** An empty form field clears the value. */
function cleared(value: string | null): string | null {
  return value === null || value.trim() === '' ? null : value
}

const clearable = text(LONGEST_TEXT).nullable().transform(cleared).optional()

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
    text: () => clearable,
    limit: () => clearable,
    target: () => target,
    secret: () => clearable.transform((text) => (text === MASKED ? undefined : text)),
  }),
  reason: described('The reason, shown to the trader; recorded with a new status and with new limits', trimmedText(LONGEST_NOTE).nullish()),
  evidence: described("The evidence of a breach; only with the status 'breached'", EvidenceGiven.nullish()),
  corrects: described('The number of the mistaken breach; only with the status that ends it, and a reason', EventNumber.nullish()),
})
export type AccountChanges = z.infer<typeof AccountChanges>
