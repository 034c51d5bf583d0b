import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { type MailTestOutcome, mailTestOutcomes } from './setup-api.ts'

/** What the owner did about the checklist of the first week, in one stream. */

export const setupEvents = defineEvents({
  /** The firm wants to see the checklist no longer, whatever is open on it. */
  SetupDismissed: {},
  /** A member of staff sent a test mail to an address of their own, which is not kept. */
  MailTested: { outcome: z.enum(mailTestOutcomes) },
})
export type SetupEvent = EventOf<typeof setupEvents>

export interface SetupState {
  readonly dismissed: boolean
  readonly lastTest: MailTestOutcome | null
}

const decider: Decider<SetupState, SetupEvent> = {
  initial: { dismissed: false, lastTest: null },
  evolve: (state, { type, data }) =>
    type === 'SetupDismissed' ? { ...state, dismissed: true } : { ...state, lastTest: data.outcome },
}

export const setupStreams = aggregate('setup', decider, setupEvents, null)

export const SETUP_ID = 'this'

export function dismissSetup({ dismissed }: SetupState): SetupEvent[] {
  return dismissed ? [] : [{ type: 'SetupDismissed', data: {} }]
}
