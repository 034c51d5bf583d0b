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

/** The fields of the form about the destination; `account` is how a bank account is given. */
export const emptyDestination = { paymentDetails: '', account: '', destination: empty }

export type DestinationDraft = typeof emptyDestination

/** Returns what the form sends: the fields that belong to the method, or the trader's own words. */
export function sentDestination(
  method: PayoutMethod,
  { paymentDetails, account, destination }: DestinationDraft,
): { readonly paymentDetails: string; readonly destination: DestinationRequest | null } {
  const checked = checkedFields(method, account, destination)
  return checked ? { paymentDetails: '', destination: checked } : { paymentDetails, destination: null }
}

function checkedFields(method: PayoutMethod, account: string, to: DestinationValues): DestinationRequest | null {
  const { holder, iban, accountNumber, bic, bankName, email, address } = to
  if (method === 'bank') {
    if (account === 'iban') return { holder, iban, ...(bic.trim() !== '' && { bic }) }
    return account === 'number' ? { holder, accountNumber, bic, bankName } : null
  }
  if (method !== 'crypto') return email.trim() === '' ? null : { email }
  const network = walletNetworks.find((one) => one === to.network)
  if (!network) return null
  // A coin of the network that was chosen before is none of this one.
  const coin = coinsOn(network).find((one) => one === to.coin)
  return { network, ...(coin && { coin }), address }
}

/** The fields of a destination that was used before. */
export function valuesOf(to: NonNullable<Payout['destination']>): DestinationDraft {
  const account = 'iban' in to ? 'iban' : 'accountNumber' in to ? 'number' : ''
  const { bic = '', coin = '' } = { ...('bic' in to && { bic: to.bic }), ...('coin' in to && { coin: to.coin }) }
  return { paymentDetails: '', account, destination: { ...empty, ...to, bic, coin } }
}
