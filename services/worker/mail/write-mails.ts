import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { allModules } from '#services/portal/modules.ts'
import type { Addressed, WrittenMail } from '#services/framework/mails/mail-context.ts'
import { type RenderedMail, render } from '#services/framework/mails/mail-layout.ts'
import type { UserMailContext } from '#services/identity/users/server/user-mails.ts'
import type { PayoutMailContext } from '#services/payments/payouts/server/payout-mails.ts'
import { describeEvent, isEventType, type MailedEventType } from '#services/oversight/event-catalogue.ts'

/** The data of a mail of any subject. */
type AnyMailContext = UserMailContext & PayoutMailContext
type Write = (event: RecordedEvent, context: AnyMailContext) => WrittenMail | Promise<WrittenMail>

/** The text of the mail about each type of event that has one. */
const texts = new Map<string, Write>(allModules.flatMap(({ mails }) => Object.entries<Write>(mails)))

/** Whether a mail is sent about events of a type. */
export function isMailed<Event extends { readonly type: string }>(
  event: Event,
): event is Event & { readonly type: MailedEventType } {
  return isEventType(event.type) && describeEvent(event.type).mail === true
}

/** The mails about an event: none when they have become pointless. */
export async function writeMails(
  event: RecordedEvent,
  context: AnyMailContext,
): Promise<readonly Addressed<RenderedMail>[]> {
  const written = await texts.get(event.type)?.(event, context)
  const letters = written === undefined ? [] : [written].flat()
  return letters.map(({ address, ...content }) => ({
    ...render(context.user.fullName, content),
    ...(address !== undefined && { address }),
  }))
}
