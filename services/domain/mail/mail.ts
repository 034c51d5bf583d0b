import { z } from 'zod'
import type { Decider } from '../../event-sourcing/decider.ts'
import { type EventOf, defineEvents } from '../../event-sourcing/event-definitions.ts'

/** A mail about a fact: its stream is named after that fact's id, so that it is recorded once and touches no other stream. */
export const mailEvents = defineEvents({
  /** The mail server took it. It names the fact that it is about, and nothing of what it says or to whom. */
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

/** Records that a mail was handed over, once. */
export function recordDelivery({ sent }: MailState, mail: SentMail): MailEvent[] {
  return sent ? [] : [{ type: 'MailSent', data: mail }]
}
