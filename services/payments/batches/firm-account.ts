import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'

/** The account that the firm pays from, in one stream. Files name it. */

export const firmAccountFields = { name: z.string(), iban: z.string(), bic: z.string() }

const firmAccount = z.object(firmAccountFields)
export type FirmAccount = z.infer<typeof firmAccount>

export const firmAccountEvents = defineEvents({
  FirmAccountChanged: { from: firmAccount.nullable(), to: firmAccount },
})
export type FirmAccountEvent = EventOf<typeof firmAccountEvents>

/** Null until it is set. */
export type FirmAccountState = FirmAccount | null

const firmAccountDecider: Decider<FirmAccountState, FirmAccountEvent> = {
  initial: null,
  evolve: (_, { data }) => data.to,
}

export const firmAccounts = aggregate('firmaccount', firmAccountDecider, firmAccountEvents, null)

export const FIRM_ACCOUNT_ID = 'this'

export function setFirmAccount(from: FirmAccountState, to: FirmAccount): FirmAccountEvent[] {
  const same = from?.name === to.name && from.iban === to.iban && from.bic === to.bic
  return same ? [] : [{ type: 'FirmAccountChanged', data: { from, to } }]
}
