import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { isFunded } from '#services/trading/stream/account-vocabulary.ts'

/**
 * What comes before the first payout of an account in evaluation: most who read that there is none are in one. With a
 * programme its stages say what an evaluation is, else the name of the phase. An account that has ended leads to none.
 */
export function beforePayouts(
  account: Pick<OwnAccount, 'phase' | 'programme' | 'status' | 'open'>,
): string | undefined {
  const { phase, programme, status, open } = account
  if (phase === null || isFunded(account)) return undefined
  if (status === 'breached') return `This account was breached in ${phase}: no payout follows from it.`
  if (!open) return `This account was in ${phase} and is closed: no payout follows from it.`
  return programme
    ? `Payouts begin with the funded stage of ${programme.name}. This account is in ${phase}: pass it first.`
    : `Payouts begin with a funded account. This one is in ${phase}: reach its profit target first.`
}
