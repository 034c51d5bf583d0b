import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import { z } from 'zod'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type EventOf, defineEvents, type AppendedEvent } from '#services/event-sourcing/event-definitions.ts'

/**
 * The installation itself: whether it has had its first admin key, since when it sends mail, how often its master key
 * was rotated, and which dead letters are to be tried again.
 */
export const installationEvents = defineEvents({
  InstallationFounded: {},
  /** Mails are sent about the events after this one, and about none before. */
  MailBegan: {},
  /** A dead letter is to be processed again by the subscription that could not use it. */
  RetryRequested: { reader: z.string(), stream: z.string(), revision: z.int() },
  /** The key that wraps all others was replaced; the count includes this rotation. */
  MasterKeyRotated: { rotations: z.int() },
})

/** A log has one installation. */
export const INSTALLATION_ID = 'this'

export type InstallationEvent = EventOf<typeof installationEvents>

export interface Installation {
  readonly founded: boolean
  /** The revision of the last `MailBegan`; null where mail never began. */
  readonly mailStartRevision: number | null
  /** How often its master key was rotated, as far as that is recorded. */
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

/** Starts mail, once. */
export function startMail({ mailStartRevision }: Installation): InstallationEvent[] {
  return mailStartRevision === null ? restartMail() : []
}

/** Starts mail from here on, also where it had started before: no mail is sent about imported history. */
export function restartMail(): InstallationEvent[] {
  return [{ type: 'MailBegan', data: {} }]
}

/**
 * Requests another attempt at a dead letter. It may be repeated: only the subscription knows whether the cause is
 * fixed.
 */
export function requestRetry(event: {
  readonly reader: string
  readonly stream: string
  readonly revision: number
}): InstallationEvent[] {
  return [{ type: 'RetryRequested', data: event }]
}

/** Records the nth rotation of the master key, once. Where records are missing, the next counts for them too. */
export function recordRotation({ rotations }: Installation, number: number): InstallationEvent[] {
  return rotations < number ? [{ type: 'MasterKeyRotated', data: { rotations: number } }] : []
}

export const installationStreams = aggregate('installation', installationDecider, installationEvents, null)
