import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { allModules } from '#services/portal/modules.ts'
import type { Addressed, MailContext, WrittenMail } from '#services/framework/mails/mail-context.ts'
import { type RenderedMail, render } from '#services/framework/mails/mail-layout.ts'
import { describeEvent, isEventType, type MailedEventType } from '#services/portal/subjects.ts'

type Write = (event: RecordedEvent, context: MailContext) => WrittenMail | Promise<WrittenMail>

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
  context: MailContext,
): Promise<readonly Addressed<RenderedMail>[]> {
  const written = await texts.get(event.type)?.(event, context)
  const letters = written === undefined ? [] : [written].flat()
  return letters.map(({ address, ...content }) => ({
    ...render(context.user.fullName, content),
    ...(address !== undefined && { address }),
  }))
}
