import { z } from 'zod'
import { namedObject } from './openapi-component.ts'
import { Money } from './money.ts'
import { Stamp } from './stamp-schemas.ts'

/** The performance of an account: its balance over time, and the decisions along the way. */

/** The balance after an event. Long histories are thinned to the lowest, highest and last point of each period. */
export const BalancePoint = namedObject('BalancePoint', { at: z.iso.datetime(), number: z.int().positive(), balance: Money, profitLoss: Money })

/** An event marked on the curve. */
export const AccountMarker = namedObject('AccountMarker', {
  ...Stamp.shape,
  /** The stream of the event: the account's, or the user's (bans). */
  stream: z.enum(['account', 'user']),
  /** The type of the event: 'AccountStatusChanged'. */
  type: z.string(),
  /** Its label: 'Status: pending to active'. */
  label: z.string(),
  /** Its reason or notes. */
  why: z.string().nullable(),
})

/** GET /api/user/account/history and GET /api/admin/user/:id/account/history: both lists oldest first. */
export const AccountHistory = namedObject('AccountHistory', {
  points: z.array(BalancePoint),
  markers: z.array(AccountMarker),
  /** The number of older markers that are left out. */
  olderMarkers: z.int().nonnegative(),
})
export type AccountHistory = z.infer<typeof AccountHistory>
