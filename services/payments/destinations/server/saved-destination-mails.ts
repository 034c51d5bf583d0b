import { FIRM, type MailContent, moment, oneLine, presentableName } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import { shortDestination } from '#services/trading/stream/destination-vocabulary.ts'
import type { destinationDescriptions } from '../saved-destination-descriptions.ts'
import type { DestinationEvent } from '../saved-destination.ts'

export const savedDestinationMails: Mails<DestinationEvent, typeof destinationDescriptions> = {
  DestinationSaved: ({ data: { name, destination, token, expiresAt } }, { page, now }) =>
    destination && now < expiresAt
      ? confirmSavedDestination(
          {
            name,
            to: shortDestination(destination),
            link: page(`/confirm-destination?token=${encodeURIComponent(token)}`),
          },
          expiresAt,
        )
      : undefined,
}

/** @param expiresAt Ms since 1970. */
export function confirmSavedDestination(
  { name, to, link }: Readonly<Record<'name' | 'to' | 'link', string>>,
  expiresAt: number,
): MailContent {
  return {
    subject: `Confirm a saved destination at ${FIRM}`,
    body: [
      `A destination for your payouts was saved in your ${FIRM} account. If that was you, confirm it: then you can choose it.`,
      {
        details: [
          ['Name', presentableName(name) || 'None'],
          ['Destination', oneLine(to)],
        ],
      },
      { action: 'Confirm this destination', link },
      `The link works once, until ${moment(expiresAt)}.`,
      'If it was not you, do not open the link, and set a new password.',
    ],
    footer: `You're receiving this email because a destination was saved in your ${FIRM} account.`,
  }
}
