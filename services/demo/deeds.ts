import type { AccountChanges } from '../domain/account/account.ts'
import type { UserId } from '../domain/ids.ts'
import type { PayoutMethod } from '../domain/payout/payout.ts'
import type { Profile } from '../domain/user/user.ts'
import type { BreachEvidence } from '../domain/account/decision-reason.ts'

/** Who does something in the made-up firm. */
export type DemoActor = 'trader' | 'payouts desk' | 'risk desk' | 'platform feed'

/** What somebody says with a change of an account. */
export interface ChangeReason {
  readonly reason: string
  readonly evidence?: BreachEvidence
  /** The breach that the account stands in was a mistake. */
  readonly wasMistake?: true
}

/** Something that somebody did at a moment, for the real deciders to decide on. */
export type DemoOperation = { readonly at: number; readonly userId: UserId } & (
  | { readonly kind: 'register'; readonly profile: Profile }
  | { readonly kind: 'set'; readonly by: DemoActor; readonly changes: AccountChanges; readonly said?: ChangeReason | undefined }
  | { readonly kind: 'request'; readonly amount: number; readonly method: PayoutMethod; readonly details: string }
  | { readonly kind: 'decide'; readonly payout: number; readonly verdict: 'approved' | 'rejected'; readonly notes: string }
  | { readonly kind: 'certify'; readonly title: string; readonly phase: string; readonly name: string }
  | { readonly kind: 'ban'; readonly reason: string }
  | { readonly kind: 'unban' }
  | { readonly kind: 'delete' }
)
