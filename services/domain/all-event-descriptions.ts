import { accountDescriptions } from './account/account-descriptions.ts'
import { certificateDescriptions } from './certificate/certificate-descriptions.ts'
import type { EventDescription, EventDescriptions } from './event-description.ts'
import { installationDescriptions } from './installation/installation-descriptions.ts'
import { mailDescriptions } from './mail/mail-descriptions.ts'
import { noticeDescriptions } from './notice/notice-descriptions.ts'
import { payoutDescriptions } from './payout/payout-descriptions.ts'
import { secondFactorDescriptions } from './second-factor/second-factor-descriptions.ts'
import { sealDescriptions } from './seal/seal-descriptions.ts'
import { accessKeyDescriptions } from './staff/access-key-descriptions.ts'
import type { AnyEvent } from './streams.ts'
import { emailClaimDescriptions, userDescriptions } from './user/user-descriptions.ts'

/** The description of every event. Runs in browsers too: see services/api/event-titles.ts. */
export const eventDescriptions = {
  ...userDescriptions,
  ...accountDescriptions,
  ...payoutDescriptions,
  ...certificateDescriptions,
  ...accessKeyDescriptions,
  ...emailClaimDescriptions,
  ...installationDescriptions,
  ...mailDescriptions,
  ...noticeDescriptions,
  ...sealDescriptions,
  ...secondFactorDescriptions,
} satisfies EventDescriptions<AnyEvent>

const byType: EventDescriptions<AnyEvent> = eventDescriptions

/** What an event means, by its type. */
export function describeEvent<Type extends AnyEvent['type']>(type: Type): EventDescription<Extract<AnyEvent, { type: Type }>> {
  return byType[type]
}

const staffOnlyTypes: ReadonlySet<string> = new Set(
  Object.entries<EventDescription<never>>(eventDescriptions).flatMap(([type, { staffOnly }]) => (staffOnly ? [type] : [])),
)

/** Whether the trader whom an event is about does not see it. */
export function isStaffOnly(type: string): boolean {
  return staffOnlyTypes.has(type)
}

/** The types of events that a mail is sent about. */
export type MailedEventType = {
  [Type in AnyEvent['type']]: (typeof eventDescriptions)[Type] extends { readonly mail: true } ? Type : never
}[AnyEvent['type']]

export type MailedEvent = Extract<AnyEvent, { type: MailedEventType }>

/** The types of events that are marked in the chart of an account. */
export type MarkedEventType = DescribedWith<'marker'>

/** The types of events that the bell of a trader shows. */
export type NoticedEventType = DescribedWith<'notice'>

type DescribedWith<Part extends keyof EventDescription<AnyEvent>> = {
  [Type in AnyEvent['type']]: (typeof eventDescriptions)[Type] extends { readonly [Each in Part]: unknown } ? Type : never
}[AnyEvent['type']]
