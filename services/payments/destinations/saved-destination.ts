import { z } from 'zod'
import { aggregate, sameId } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import {
  type AppendedEvent,
  defineEvents,
  type EventOf,
  personal,
  secret,
} from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type Destination, destination } from '#services/trading/stream/destination-vocabulary.ts'
import { whereTo } from '#services/trading/stream/payout-destination.ts'
import { payoutMethod } from '#services/trading/stream/payout.ts'

/** Destinations that a trader keeps to choose from, each confirmed by a link in a mail. One stream a trader. */

const text = z.string()

export const destinationEvents = defineEvents({
  /** The mail carries the token, which is stored only encrypted beside its hash. The end is in ms since 1970. */
  DestinationSaved: {
    destinationId: text,
    method: payoutMethod,
    name: personal(text),
    destination: personal(destination.nullable(), null),
    token: secret(text),
    tokenHash: text,
    expiresAt: z.int(),
  },
  /** By the link, which only the reader of the mail could open. */
  DestinationConfirmed: { destinationId: text },
  DestinationRemoved: { destinationId: text },
  /** The user was deleted. */
  DestinationsForgotten: {},
})

export type DestinationEvent = EventOf<typeof destinationEvents>
type Saved = Extract<DestinationEvent, { type: 'DestinationSaved' }>['data']

interface SavedDestination extends Pick<Saved, 'method' | 'destination'> {
  readonly id: string
  /** Null once it was used. */
  readonly link: Pick<Saved, 'tokenHash' | 'expiresAt'> | null
}

/** The destinations of a trader, oldest first. */
export type SavedDestinations = readonly SavedDestination[]

function evolve(saved: SavedDestinations, { type, data }: AppendedEvent<DestinationEvent>): SavedDestinations {
  switch (type) {
    case 'DestinationSaved': {
      const { destinationId: id, method, destination: to, tokenHash, expiresAt } = data
      return [...saved, { id, method, destination: to, link: { tokenHash, expiresAt } }]
    }
    case 'DestinationConfirmed':
      return saved.map((each) => (each.id === data.destinationId ? { ...each, link: null } : each))
    case 'DestinationRemoved':
      return saved.filter(({ id }) => id !== data.destinationId)
    case 'DestinationsForgotten':
      return []
  }
}

export const destinationDecider: Decider<SavedDestinations, DestinationEvent> = { initial: [], evolve }

export const MOST_DESTINATIONS = 10

/** How long the link that confirms one is valid, in ms. */
export const CONFIRMATION_LIFETIME = 24 * 60 * 60_000

/** @throws {Refused} conflict, for one that is saved already, or one too many. */
export function saveDestination(
  saved: SavedDestinations,
  data: Saved & { readonly destination: Destination },
): DestinationEvent[] {
  const where = (to: Destination | null) => whereTo({ details: '', destination: to })
  if (saved.some(({ method, destination: to }) => method === data.method && where(to) === where(data.destination)))
    throw new Refused('conflict', 'You saved this destination already')
  if (saved.length >= MOST_DESTINATIONS)
    throw new Refused('conflict', `You can save up to ${MOST_DESTINATIONS} destinations. Remove one first.`)
  return [{ type: 'DestinationSaved', data }]
}

/**
 * Confirms the destination that a link was mailed for, once.
 *
 * @param isItsHash Compares in constant time.
 * @throws {Refused} invalid, when the link is unknown, used or old, or its destination was removed.
 */
export function confirmDestination(
  saved: SavedDestinations,
  isItsHash: (hash: string) => boolean,
  now: number,
): DestinationEvent[] {
  const found = saved.find(({ link }) => link && isItsHash(link.tokenHash))
  if (!found?.link || now >= found.link.expiresAt)
    throw new Refused('invalid', 'This link is not valid any more. Please save the destination once more.', 'token')
  return [{ type: 'DestinationConfirmed', data: { destinationId: found.id } }]
}

/** @throws {Refused} not-found */
export function removeDestination(saved: SavedDestinations, destinationId: string): DestinationEvent[] {
  if (!saved.some(({ id }) => id === destinationId)) throw new Refused('not-found', 'Destination not found')
  return [{ type: 'DestinationRemoved', data: { destinationId } }]
}

/** Forgets those of a deleted user. */
export function forgetDestinations(saved: SavedDestinations): DestinationEvent[] {
  return saved.length === 0 ? [] : [{ type: 'DestinationsForgotten', data: {} }]
}

/** One for each trader who saved a destination, named after the user. */
export const destinationStreams = aggregate('destinations', destinationDecider, destinationEvents, {
  kind: 'user',
  idOf: sameId,
})
