import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import { z } from 'zod'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type EventOf, defineEvents } from '#services/event-sourcing/event-definitions.ts'

/**
 * A mail about an event. Its stream is named after the event's id, so that it is recorded once and touches no other
 * stream.
 */
export const mailEvents = defineEvents({
  /** The mail server accepted it. It names the event that it is about, and neither its text nor its recipient. */
  MailSent: { kind: z.string(), stream: z.string(), revision: z.int() },
})

export type MailEvent = EventOf<typeof mailEvents>
export type SentMail = Extract<MailEvent, { type: 'MailSent' }>['data']

export interface MailState {
  readonly sent: boolean
}

export const mailDecider: Decider<MailState, MailEvent> = {
  initial: { sent: false },
  evolve: () => ({ sent: true }),
}

/** Records that a mail was sent, once. */
export function recordDelivery({ sent }: MailState, mail: SentMail): MailEvent[] {
  return sent ? [] : [{ type: 'MailSent', data: mail }]
}

/** One for each sent mail, named after the id of the event that it is about. */
export const mailStreams = { ...aggregate('mail', mailDecider, mailEvents, null), usuallyNew: true } as const
