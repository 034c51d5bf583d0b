import { zodResolver } from '@hookform/resolvers/zod'
import { PayoutRequest } from '../../../../services/api/payout-schemas.ts'

/** The check of the payout form (specification §5). Raw: the amount is sent as it was typed. */
export const payoutRequest = zodResolver(PayoutRequest, undefined, { raw: true })
