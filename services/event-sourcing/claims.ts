import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '#infra/failures.ts'
import { comparePositions, type Position } from '#infra/event-store/event-store.ts'
import type { AggregateRepository } from './aggregate-repository.ts'
import { type Claim, type ClaimEvent, type ClaimKind, makeClaim, releaseClaim, takeOverClaim } from './claim.ts'
import type { Context } from './codec/metadata.ts'
import { Refused } from './refusal.ts'

/** A claim that someone holds: the id of its stream, and when it was made. */
export interface HeldClaim {
  readonly claim: string
  readonly since: number
}

/** The holders of claims, and what their own streams say. */
export interface ClaimHolders<Holder extends string> {
  /** The claim that the holder uses now. */
  claimOf(holder: Holder): Promise<string | null>
  /**
   * Makes a late use of this claim fail: if its holder is slow and not dead, this prevents a second user of the value.
   *
   * @throws {Refused} when the holder uses it.
   */
  lapse(holder: Holder, claim: string, context: Context): Promise<unknown>
  /** Whether two holders are one person's, who need not wait for themselves. */
  areOfOnePerson(holder: Holder, claimant: Holder): boolean
}

/** How long a claimant waits for the holder of a young claim to use it, in ms each time: it is usually about to. */
const YOUNG_CLAIM_WAITS = [50, 100, 200, 400]

/** How long a claim waits for its holder's own event before another may take it over, in ms. */
const UNUSED_CLAIM_TIMEOUT = 10_000

/** Makes, takes over and releases the claims of a kind. Claims are named by the ids of their streams. */
export class Claims<Claimed extends string, Released extends string, Holder extends string> {
  constructor(
    private readonly kind: ClaimKind<Claimed, Released>,
    private readonly claims: AggregateRepository<Claim<Holder>, ClaimEvent<Claimed, Released, Holder>>,
    private readonly holders: ClaimHolders<Holder>,
    private readonly now: () => number,
  ) {}

  /** Who uses this value now, if anyone does. */
  async findHolder(claim: string): Promise<Holder | undefined> {
    const { holder } = (await this.claims.load(claim)).state
    return holder && (await this.holders.claimOf(holder)) === claim ? holder : undefined
  }

  /** Claims a value. @throws {Refused} conflict, when it is another's. */
  async claim(claimant: Holder, claim: string, context: Context): Promise<HeldClaim> {
    const isInUse = (await this.holders.claimOf(claimant)) === claim
    try {
      // An unused claim of the claimant may be about to be released; a renewed one is not: see release.
      const { state } = await this.claims.decide(claim, context, (current) =>
        isInUse ? makeClaim(this.kind, current, claimant) : takeOverClaim(this.kind, current, claimant, claimant),
      )
      return { claim, since: state.since }
    } catch (error) {
      if (!(error instanceof Refused) || error.kind !== 'conflict') throw error
      return this.takeOver(claimant, claim, context)
    }
  }

  /**
   * Releases a value that the holder no longer has.
   *
   * @param left The position at which the holder left it. A later claim is about to be used again and stays.
   */
  async release(holder: Holder, claim: string, context: Context, left: Position): Promise<void> {
    const { state: known, position } = await this.claims.load(claim)
    if (comparePositions(position, left) > 0) return
    await this.claims.decide(claim, context, (current) =>
      current.since === known.since ? releaseClaim(this.kind, current, holder) : [],
    )
  }

  private async takeOver(claimant: Holder, claim: string, context: Context): Promise<HeldClaim> {
    const { holder, since } = (await this.claims.load(claim)).state
    if (holder && holder !== claimant) {
      const isYoung = this.now() - since < UNUSED_CLAIM_TIMEOUT
      if (isYoung && !this.holders.areOfOnePerson(holder, claimant)) await this.waitForUse(holder, claim)
      await this.holders.lapse(holder, claim, context)
    }
    const { state } = await this.claims.decide(claim, context, (current) => {
      // The holder renewed it meanwhile.
      if (holder && current.holder === holder && current.since !== since) throw this.kind.taken()
      return holder ? takeOverClaim(this.kind, current, holder, claimant) : makeClaim(this.kind, current, claimant)
    })
    return { claim, since: state.since }
  }

  /**
   * Waits until the holder uses a claim. Where the holder's own event failed, the value is nobody's: it can be claimed again
   * soon.
   *
   * @throws {Refused} conflict, once it is used.
   * @throws {Unavailable} when it is not.
   */
  private async waitForUse(holder: Holder, claim: string): Promise<never> {
    for (const wait of [0, ...YOUNG_CLAIM_WAITS]) {
      await delay(wait)
      if ((await this.holders.claimOf(holder)) === claim) throw this.kind.taken()
    }
    throw new Unavailable('claimed value', { cause: new Error('It was claimed a moment ago, and is not used yet') })
  }
}
