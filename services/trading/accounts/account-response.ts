import { z } from 'zod'
import { toDecimal } from '#services/rules/money.ts'
import { accountStatuses, platforms } from '#services/trading/stream/account-vocabulary.ts'
import { byKind, responseFields } from './account-fields.ts'

/** The account in responses. A file of its own, since the verify page needs it without the schemas of requests. */

const optionalText = z.string().nullable()
const cents = z.int().transform(toDecimal)
const toResponse = z.object(
  byKind(responseFields, {
    money: () => cents,
    profit: () => cents,
    status: () => z.enum(accountStatuses),
    switch: () => z.boolean(),
    platform: () => z.enum(platforms).nullable(),
    text: () => optionalText,
    limit: () => optionalText,
    target: () => optionalText,
    secret: () => optionalText,
  }),
)

/** The same fields of a read model or an aggregate: money as decimals, and no other property of `account`. */
export function accountResponse(account: z.input<typeof toResponse>): z.output<typeof toResponse> {
  return toResponse.parse(account)
}
