import { type MailTestOutcome, setupRoutes } from '#services/operations/setup/setup-api.ts'
import { send, sendAndParse } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** What the firm sets up in its first week. Almost everything that staff do can finish a step of it. */
export const setupQuery = routeQuery(setupRoutes.setup, {
  subjects: ['setup', 'firm', 'staff', 'programmes', 'batches', 'imports', 'payouts', 'enrolments', 'installation'],
})

export const dismissSetup = staffChange({
  send: (_: void) => send(setupRoutes.dismissSetup),
  done: () => ['Checklist dismissed', '“proofdesk status” still shows it.'],
  failed: () => 'The checklist was not dismissed',
})

const titles: Readonly<Record<MailTestOutcome, string>> = {
  sent: 'The mail server took the test',
  file: 'Nobody gets the test',
  failed: 'The test was not sent',
}

export const testMail = staffChange({
  send: (address: string) => sendAndParse(setupRoutes.testMail, { body: { address } }),
  done: (_, { outcome, says }) => [titles[outcome], says],
  failed: () => 'The test was not sent',
})
