import { z } from 'zod'
import type { Decider } from '../../event-sourcing/decider.ts'
import { type EventOf, defineEvents, type AppendedEvent } from '../../event-sourcing/event-definitions.ts'

/**
 * The installation itself: whether it has had its first admin key, since when it sends mail, how often its master key was exchanged,
 * and what its worker was asked for.
 */
export const installationEvents = defineEvents({
  InstallationFounded: {},
  /** Mails are sent about facts that the log holds after this one, and about none before. */
  MailBegan: {},
  /** Somebody asked for an event that was set aside to be tried again by the reader of the log that could not use it. */
  RetryRequested: { reader: z.string(), stream: z.string(), revision: z.int() },
  /** The key that opens all others was exchanged for another one; how often that was done by now. */
  MasterKeyRotated: { rotations: z.int() },
})

/** A log has one installation. */
export const INSTALLATION_ID = 'this'

export type InstallationEvent = EventOf<typeof installationEvents>

export interface Installation {
  readonly founded: boolean
  /** The revision of the last `MailBegan`; null where mail never began. */
  readonly mailStartRevision: number | null
  /** How often its master key was exchanged, as far as that is recorded. */
  readonly rotations: number
}

export const installationDecider: Decider<Installation, InstallationEvent> = {
  initial: { founded: false, mailStartRevision: null, rotations: 0 },
  evolve(before: Installation, { type, data, revision }: AppendedEvent<InstallationEvent>): Installation {
    switch (type) {
      case 'InstallationFounded':
        return { ...before, founded: true }
      case 'MailBegan':
        return { ...before, mailStartRevision: revision }
      case 'RetryRequested':
        return before
      case 'MasterKeyRotated':
        return { ...before, rotations: data.rotations }
    }
  },
}

/** Founds the installation, once. */
export function foundInstallation({ founded }: Installation): InstallationEvent[] {
  return founded ? [] : [{ type: 'InstallationFounded', data: {} }]
}

/** Begins to send mail, once. */
export function startMail({ mailStartRevision }: Installation): InstallationEvent[] {
  return mailStartRevision === null ? restartMail() : []
}

/** Begins to send mail from here on, whatever was before: no mail is sent about a past that was only written down now. */
export function restartMail(): InstallationEvent[] {
  return [{ type: 'MailBegan', data: {} }]
}

/** Asks for an event to be tried again, as often as somebody likes: what was mended meanwhile is not for this to know. */
export function requestRetry(event: { readonly reader: string; readonly stream: string; readonly revision: number }): InstallationEvent[] {
  return [{ type: 'RetryRequested', data: event }]
}

/** Records that the master key was exchanged for the nth time, once. Where a record is missing, one stands for all up to it. */
export function recordRotation({ rotations }: Installation, number: number): InstallationEvent[] {
  return rotations < number ? [{ type: 'MasterKeyRotated', data: { rotations: number } }] : []
}
