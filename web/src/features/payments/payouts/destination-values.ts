import type { DestinationRequest, Payout } from '#services/payments/payouts/payout-api.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import { walletNetworks } from '#services/trading/stream/payout-vocabulary.ts'
import { coinsOn } from '#services/trading/stream/coin-vocabulary.ts'

/** A form holds a destination as texts, empty where nothing was typed. */

const empty = {
  holder: '',
  iban: '',
  accountNumber: '',
  bic: '',
  bankName: '',
  email: '',
  network: '',
  coin: '',
  address: '',
}
export type DestinationValues = typeof empty

/** The choice of a bank account, or of a network, that leaves it to the trader's own words. */
export const IN_WORDS = 'words'

/** The fields of the form about the destination; `account` is how a bank account is given. */
export const emptyDestination = { paymentDetails: '', account: 'iban', destination: empty }

export type DestinationDraft = typeof emptyDestination

/** Returns what a request sends: the fields that belong to the method, or the trader's own words. */
export function sentDestination(
  method: PayoutMethod,
  draft: DestinationDraft,
): { readonly paymentDetails: string; readonly destination: DestinationRequest | null } {
  const { paymentDetails, account, destination } = draft
  const isInWords =
    (method === 'bank' && account === IN_WORDS) || (method === 'crypto' && destination.network === IN_WORDS)
  if (isInWords) return { paymentDetails, destination: null }
  const checked = checkedFields(method, draft)
  // Nothing typed is no destination, which a request may have.
  const isBlank = Object.values(checked).every((text) => !text?.trim())
  return { paymentDetails: '', destination: isBlank ? null : checked }
}

/** Returns the fields of a destination that the server checks. */
export function checkedFields(
  method: PayoutMethod,
  { account, destination }: Pick<DestinationDraft, 'account' | 'destination'>,
): DestinationRequest {
  const { holder, iban, accountNumber, bic, bankName, email, address } = destination
  if (method === 'bank') {
    if (account === 'number') return { holder, accountNumber, bic, bankName }
    return { holder, iban, ...(bic.trim() !== '' && { bic }) }
  }
  if (method !== 'crypto') return { email }
  const network = walletNetworks.find((one) => one === destination.network)
  if (!network) return { address }
  // A coin of the network that was chosen before is none of this one.
  const coin = coinsOn(network).find((one) => one === destination.coin)
  return { network, ...(coin && { coin }), address }
}

/** The fields of a destination that was used before. */
export function valuesOf(to: NonNullable<Payout['destination']>): DestinationDraft {
  const account = 'accountNumber' in to ? 'number' : 'iban'
  const { bic = '', coin = '' } = { ...('bic' in to && { bic: to.bic }), ...('coin' in to && { coin: to.coin }) }
  return { paymentDetails: '', account, destination: { ...empty, ...to, bic, coin } }
}
