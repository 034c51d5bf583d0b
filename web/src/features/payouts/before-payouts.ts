import type { OwnAccount } from '#services/modules/accounts/account-api.ts'
import { isFunded } from '#services/modules/accounts/account-vocabulary.ts'

/**
 * What comes before the first payout of an account in evaluation: most who read that there is none are in one. With a
 * programme its stages say what an evaluation is, else the name of the phase.
 */
export function beforePayouts(account: Pick<OwnAccount, 'phase' | 'programme'>): string | undefined {
  const { phase, programme } = account
  if (phase === null || isFunded(account)) return undefined
  return programme
    ? `Payouts begin with the funded stage of ${programme.name}. This account is in ${phase}: pass it first.`
    : `Payouts begin with a funded account. This one is in ${phase}: reach its profit target first.`
}
