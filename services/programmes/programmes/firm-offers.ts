import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type ProgrammeId, programmeId } from '#services/framework/ids.ts'
import { MOST_OFFERS } from './offer-api.ts'

/** What the firm sells: its programmes, each with its price and its link, in the order of the page. One stream. */

const offerTerms = z.object({
  /** As people read it; blank for none. */
  price: z.string(),
  /** Where it is bought; null for the link of PURCHASE_URL. */
  purchaseUrl: z.string().nullable(),
  /** From 0, in the order of the page. */
  place: z.int(),
})
export type OfferTerms = z.infer<typeof offerTerms>

export const offerEvents = defineEvents({
  /** An offer was added where it was none before, and removed where it is none afterwards. */
  OfferChanged: { programme: programmeId, from: offerTerms.nullable(), to: offerTerms.nullable() },
})
export type OfferEvent = EventOf<typeof offerEvents>

export interface FirmOffer extends OfferTerms {
  readonly programme: ProgrammeId
}

/** The offers in the order of the page. Null until the firm has set some: then the page is the specification's. */
export type FirmOffers = readonly FirmOffer[] | null

/** The offers after one was changed. */
export function offersAfter(offers: FirmOffers, { programme, to }: OfferEvent['data']): readonly FirmOffer[] {
  const others = (offers ?? []).filter((offer) => offer.programme !== programme)
  return [...others, ...(to ? [{ programme, ...to }] : [])].sort((a, b) => a.place - b.place)
}

const offerDecider: Decider<FirmOffers, OfferEvent> = {
  initial: null,
  evolve: (offers: FirmOffers, { data }) => offersAfter(offers, data),
}

export const offerStreams = aggregate('offers', offerDecider, offerEvents, null)

export const OFFERS_ID = 'this'

/** Adds programmes at the end of the page. Those that are offered stay as they are. @throws {Refused} conflict */
export function addOffers(
  offers: FirmOffers,
  programmes: readonly ProgrammeId[],
  { price, purchaseUrl }: Pick<OfferTerms, 'price' | 'purchaseUrl'>,
): OfferEvent[] {
  const known = new Set((offers ?? []).map(({ programme }) => programme))
  const added = [...new Set(programmes)].filter((programme) => !known.has(programme))
  if (known.size + added.length > MOST_OFFERS)
    throw new Refused('conflict', `A page has at most ${MOST_OFFERS} offers. Remove others first.`)
  const end = (offers?.at(-1)?.place ?? -1) + 1
  return added.map((programme, n) => ({
    type: 'OfferChanged',
    data: { programme, from: null, to: { price, purchaseUrl, place: end + n } },
  }))
}

type OfferChange = { readonly [Field in keyof OfferTerms]?: OfferTerms[Field] | undefined }

/**
 * Changes an offer. Another place moves the offers between the old one and the new one.
 *
 * @param change `place` counts from 0.
 * @throws {Refused} not-found
 */
export function changeOffer(offers: FirmOffers, programme: ProgrammeId, change: OfferChange): OfferEvent[] {
  const before = existingOffer(offers, programme)
  const others = (offers ?? []).filter((offer) => offer !== before)
  const { price = before.price, purchaseUrl = before.purchaseUrl } = change
  const { place: wanted = (offers ?? []).indexOf(before) } = change
  const ordered = others.toSpliced(wanted, 0, { ...before, price, purchaseUrl })
  return ordered.flatMap((offer, place) => {
    const from = offers?.find((each) => each.programme === offer.programme) ?? null
    return changed(offer.programme, from, { ...offer, place })
  })
}

/** Takes an offer off the page. @throws {Refused} not-found */
export function removeOffer(offers: FirmOffers, programme: ProgrammeId): OfferEvent[] {
  return changed(programme, existingOffer(offers, programme), null)
}

function existingOffer(offers: FirmOffers, programme: ProgrammeId): FirmOffer {
  const offer = offers?.find((each) => each.programme === programme)
  if (!offer) throw new Refused('not-found', 'This programme is not offered')
  return offer
}

function changed(programme: ProgrammeId, before: OfferTerms | null, after: OfferTerms | null): OfferEvent[] {
  const termsOf = (offer: OfferTerms | null) =>
    offer && { price: offer.price, purchaseUrl: offer.purchaseUrl, place: offer.place }
  const [from, to] = [termsOf(before), termsOf(after)]
  const same = from && to && from.price === to.price && from.purchaseUrl === to.purchaseUrl && from.place === to.place
  return same ? [] : [{ type: 'OfferChanged', data: { programme, from, to } }]
}
