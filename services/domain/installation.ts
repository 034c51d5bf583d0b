import { z } from 'zod'
import type { Decider } from './decider.ts'
import { type EventOf, events } from './event.ts'

/** The installation itself: whether it has had its first admin key, and what its worker was asked for. */
export const installationEvents = events({
  InstallationFounded: {},
  /** Somebody asked for an event that was set aside to be tried again by the reader of the log that could not use it. */
  RetryRequested: { reader: z.string(), stream: z.string(), revision: z.int() },
})

export type InstallationEvent = EventOf<typeof installationEvents>

export interface Installation {
  readonly founded: boolean
}

export const installation: Decider<Installation, InstallationEvent> = {
  initial: { founded: false },
  evolve: (before, { type }) => (type === 'InstallationFounded' ? { founded: true } : before),
}

/** Founds the installation, once. */
export function foundInstallation({ founded }: Installation): InstallationEvent[] {
  return founded ? [] : [{ type: 'InstallationFounded', data: {} }]
}

/** Asks for an event to be tried again, as often as somebody likes: what was mended meanwhile is not for this to know. */
export function requestRetry(event: { readonly reader: string; readonly stream: string; readonly revision: number }): InstallationEvent[] {
  return [{ type: 'RetryRequested', data: event }]
}
