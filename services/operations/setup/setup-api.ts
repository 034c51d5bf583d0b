import { z } from 'zod'
import { email } from '#services/framework/api/email-address.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, get, post, throttled } from '#services/framework/api/route.ts'
import { namedRequest } from '#services/framework/api/text.ts'

/** The checklist of a firm's first week, and the test of its mail. */

export const mailTestOutcomes = ['sent', 'file', 'failed'] as const
export type MailTestOutcome = (typeof mailTestOutcomes)[number]

export const setupStepIds = ['name', 'mail', 'offers', 'account', 'backup', 'seals', 'staff', 'trader'] as const
export type SetupStepId = (typeof setupStepIds)[number]

export const SetupStep = namedObject('SetupStep', {
  id: z.enum(setupStepIds),
  title: z.string(),
  done: z.boolean(),
  says: described('What is true now, and what to do where it is not done', z.string()),
  page: described('The page where it is done, or looked at', z.string()),
})
export type SetupStep = z.infer<typeof SetupStep>

/** GET /api/admin/setup */
export const Setup = namedObject('Setup', {
  dismissed: z.boolean(),
  steps: z.array(SetupStep),
  mailFolder: described('The folder into which mails are written; null with a mail server', z.string().nullable()),
})
export type Setup = z.infer<typeof Setup>

/** POST /api/admin/setup/test-mail */
export const MailTest = namedRequest('MailTest', { address: email('Please enter a valid email address') })

export const MailTestAnswer = namedObject('MailTestAnswer', {
  outcome: z.enum(mailTestOutcomes),
  says: z.string(),
})
export type MailTestAnswer = z.infer<typeof MailTestAnswer>

export const setupRoutes = {
  setup: get('/api/admin/setup', 'read', {
    summary: 'What a firm sets up in its first week, and what of it is done',
    position: 'waits',
    answer: answer('The checklist', Setup),
  }),
  dismissSetup: post('/api/admin/setup/dismiss', 'set-up-firm', { summary: 'Take the checklist away for good' }),
  testMail: post('/api/admin/setup/test-mail', 'set-up-firm', {
    summary: 'Send a mail to an address at once, and say what became of it',
    body: MailTest,
    answer: answer('What became of it', MailTestAnswer),
    refuses: throttled,
  }),
}
