import { z } from 'zod'
import * as payouts from '#services/modules/payouts/payout-api.ts'
import { BASED_ON_HEADER, IDEMPOTENCY_HEADER } from './headers.ts'
import { described } from './openapi-component.ts'
import { answer, conflict, CSV_TYPE, file, get, patch, post, throttled } from './route.ts'

const payoutPath = z.object({ id: described("The payout's id", z.string()) })

/** The calls about payouts. */
export const payoutRoutes = {
  ownPayouts: get('/api/user/payouts', 'trader', {
    summary: "The trader's own payout requests, newest first",
    position: 'waits',
    answer: answer('The payout requests', z.array(payouts.ListedPayout)),
  }),
  requestPayout: post('/api/user/payouts', 'trader', {
    summary: 'Request a payout; only while payouts are enabled for the account',
    headers: {
      [IDEMPOTENCY_HEADER]: {
        schema: payouts.IdempotencyKey,
        description: 'A text of your choice: repeating a request with the same key creates no second payout and returns the same answer',
      },
    },
    body: payouts.PayoutRequest,
    answer: answer('The payout request', payouts.Payout),
    status: 201,
    refuses: { ...conflict, ...throttled },
  }),
  payouts: get('/api/admin/payouts', 'read', {
    summary: 'All payout requests with their users',
    query: payouts.PayoutList,
    paged: true,
    position: 'waits',
    answer: answer('A page of payout requests', z.array(payouts.AdminPayout)),
  }),
  payoutsExport: get('/api/admin/payouts.csv', 'export', {
    summary: 'The filtered list of payout requests as CSV, without pagination',
    query: payouts.PayoutExport,
    position: 'waits',
    answer: file(CSV_TYPE),
    refuses: throttled,
  }),
  decidePayout: patch('/api/admin/payouts/:id', 'decide-payouts', {
    summary: 'Approve a payout request, or reject it with notes; above SECOND_APPROVAL_ABOVE the first approval leaves it pending',
    params: payoutPath,
    headers: {
      [BASED_ON_HEADER]: {
        schema: payouts.BasedOnHeader,
        description:
          "The payout's firstApproval.at or decidedAt as it was seen, or 'undecided': a verdict or first approval given since is then not overruled, but named in a 409",
      },
    },
    body: payouts.PayoutVerdict,
    answer: answer("The payout's status afterwards", payouts.VerdictGiven),
    refuses: conflict,
  }),
}
