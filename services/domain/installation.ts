import type { Decider } from './decider.ts'
import { type EventOf, events } from './event.ts'

/** The installation itself: whether it has had its first admin key. */
export const installationEvents = events({ InstallationFounded: {} })

export type InstallationEvent = EventOf<typeof installationEvents>

export interface Installation {
  readonly founded: boolean
}

export const installation: Decider<Installation, InstallationEvent> = {
  initial: { founded: false },
  evolve: () => ({ founded: true }),
}

/** Founds the installation, once. */
export function foundInstallation({ founded }: Installation): InstallationEvent[] {
  return founded ? [] : [{ type: 'InstallationFounded', data: {} }]
}
