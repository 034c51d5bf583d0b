import { programmeText } from '#services/trading/stream/programme-stage.ts'
import { FIRM, type MailContent, oneLine } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import type { enrolmentDescriptions } from '../enrolment-descriptions.ts'

import type { EnrolmentEvent } from '#services/identity/users/enrolment.ts'

/** The mail about an enrolment. It is always sent: the terms of an account follow from it. */
export const enrolmentMails: Mails<EnrolmentEvent, typeof enrolmentDescriptions> = {
  TraderEnrolled: ({ data: { name, version, account, accepted } }, { page }) =>
    enrolled({
      name,
      programme: programmeText(name, version),
      accepted: accepted !== null,
      link: page(`/?account=${account}`),
    }),
}

/** A trader is enrolled in a version of a programme; `link` is the page of the account. */
export function enrolled({
  name,
  programme,
  accepted,
  link,
}: {
  readonly name: string
  readonly programme: string
  readonly accepted: boolean
  readonly link: string
}): MailContent {
  return {
    subject: `You are enrolled in ${oneLine(name)}`,
    body: [
      `You are enrolled in ${oneLine(name)}. Its rules apply to your account, and this version of them never changes.`,
      { details: [['Programme', oneLine(programme)]] },
      accepted
        ? 'You accepted its terms already: your account page shows them.'
        : 'Please read its terms on your account page, and accept them.',
      'Your login for the trading platform follows: your account page shows it once it is there.',
      { action: 'See your account', link },
    ],
    footer: `You're receiving this email because you were enrolled in a programme on ${FIRM}.`,
  }
}
