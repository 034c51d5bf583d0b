import { z } from 'zod'
import type { Decider } from './decider.ts'
import { type EventOf, events, type Fact } from './event.ts'

/** The installation itself: whether it has had its first admin key, since when it sends mail, and what its worker was asked for. */
export const installationEvents = events({
  InstallationFounded: {},
  /** Mails are sent about facts that the log holds after this one, and about none before. */
  MailBegan: {},
  /** Somebody asked for an event that was set aside to be tried again by the reader of the log that could not use it. */
  RetryRequested: { reader: z.string(), stream: z.string(), revision: z.int() },
})

export type InstallationEvent = EventOf<typeof installationEvents>

export interface Installation {
  readonly founded: boolean
  /** The revision of the last `MailBegan`; null where mail never began. */
  readonly mailBegan: number | null
}

export const installation: Decider<Installation, InstallationEvent> = {
  initial: { founded: false, mailBegan: null },
  evolve(before: Installation, { type, revision }: Fact<InstallationEvent>): Installation {
    switch (type) {
      case 'InstallationFounded':
        return { ...before, founded: true }
      case 'MailBegan':
        return { ...before, mailBegan: revision }
      case 'RetryRequested':
        return before
    }
  },
}

/** Founds the installation, once. */
export function foundInstallation({ founded }: Installation): InstallationEvent[] {
  return founded ? [] : [{ type: 'InstallationFounded', data: {} }]
}

/** Begins to send mail, once. */
export function beginMail({ mailBegan }: Installation): InstallationEvent[] {
  return mailBegan === null ? beginMailAnew() : []
}

/** Begins to send mail from here on, whatever was before: no mail is sent about a past that was only written down now. */
export function beginMailAnew(): InstallationEvent[] {
  return [{ type: 'MailBegan', data: {} }]
}

/** Asks for an event to be tried again, as often as somebody likes: what was mended meanwhile is not for this to know. */
export function requestRetry(event: { readonly reader: string; readonly stream: string; readonly revision: number }): InstallationEvent[] {
  return [{ type: 'RetryRequested', data: event }]
}
