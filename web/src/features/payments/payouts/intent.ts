import type { PayoutDraft } from './payout-queries.ts'

/**
 * Gives each intended payout its idempotency key. An unchanged draft keeps its key until the request succeeds, so that
 * a retry after a lost answer pays once. After a success the same draft means another payout.
 */
export class PayoutIntent {
  #draft: string | undefined
  #key = ''

  keyOf(draft: PayoutDraft): string {
    const text = JSON.stringify([draft.amount, draft.paymentMethod, draft.paymentDetails, draft.destination])
    if (text !== this.#draft) {
      this.#draft = text
      this.#key = newKey()
    }
    return this.#key
  }

  /** The request succeeded: the next one is another payout. */
  done(): void {
    this.#draft = undefined
  }
}

/** 128 random bits; browsers offer `randomUUID` only over HTTPS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
