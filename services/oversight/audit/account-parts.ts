import type { z } from 'zod'
import type { AccountState } from '#services/trading/stream/account-aggregate.ts'
import { accountPart } from '#services/trading/accounts/account-part.ts'
import { certificatePart } from '#services/trading/certificates/certificate-part.ts'
import { casePart } from '#services/trading/cases/case-part.ts'
import { findingPart } from '#services/trading/findings/finding-part.ts'
import { stagePart } from '#services/trading/accounts/stage-part.ts'
import { ledgerPart } from '#services/trading/accounts/ledger-part.ts'
import { payoutPart } from '#services/payments/payouts/payout-part.ts'
import type { Part } from '#services/framework/shown-state.ts'
import { AuditAccount } from './audit-api.ts'

/**
 * How each part of an account's state is shown, in the order in which pages have them. The compiler asks for every part
 * of account-aggregate.ts.
 */
export const accountParts = {
  account: accountPart,
  ledger: ledgerPart,
  stage: stagePart,
  findings: findingPart,
  payouts: payoutPart,
  certificates: certificatePart,
  cases: casePart,
} satisfies Parts

type Parts = { readonly [Name in keyof AccountState]: Part<AccountState[Name]> }
/** The compiler asks for every part in answers. */
type Schemas = { readonly [Name in keyof AccountState]: (typeof accountParts)[Name]['schema'] }

const parts: Parts = accountParts
const names = Object.keys(accountParts).filter(isPart)

function isPart(name: string): name is keyof AccountState {
  return Object.hasOwn(accountParts, name)
}

/** Returns what each part of an account's state shows. */
export function shownParts(state: AccountState): z.output<typeof shown> {
  const show = <Name extends keyof AccountState>(name: Name) => parts[name].show(state[name])
  return shown.parse(Object.fromEntries(names.map((name) => [name, show(name)])))
}

const shown: z.ZodObject<Schemas> = AuditAccount.omit({ id: true })
