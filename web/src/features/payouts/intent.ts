import type { PayoutDraft } from './payout-queries.ts'

/**
 * Gives each intended payout its key. The same wish keeps its key until it was answered with a success: a repetition
 * after a lost answer asks for nothing new. Whoever then wants the same amount again means another payout.
 */
export class PayoutIntent {
  #wish: string | undefined
  #key = ''

  keyOf(wish: PayoutDraft): string {
    const text = JSON.stringify([wish.amount, wish.paymentMethod, wish.paymentDetails])
    if (text !== this.#wish) {
      this.#wish = text
      this.#key = newKey()
    }
    return this.#key
  }

  /** The payout was made: what comes next is another one. */
  done(): void {
    this.#wish = undefined
  }
}

/** 128 random bits; `randomUUID` is there only behind HTTPS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
