/** A file of payments is made from an order. Some payments do not fit into the file of a format. */

import { isInSepa } from '#services/payments/bank-codes.ts'
import type { BatchCurrency, BatchFormat, FileVersion } from '../batch-vocabulary.ts'
import type { CoinCodes } from '../coin-code-vocabulary.ts'
import { type Coin, coinsOn } from '#services/trading/stream/coin-vocabulary.ts'
import { walletNetworkLabels } from '#services/trading/stream/payout-vocabulary.ts'
import type { FirmAccount } from '../firm-account.ts'
import type { Destination } from '#services/trading/stream/destination-vocabulary.ts'
import type { PayoutMethod } from '#services/trading/stream/payout.ts'
import { hasSepaText } from './sepa-text.ts'

export interface OrderedPayment {
  /** The end-to-end id: letters, digits and hyphens, at most 30. */
  readonly reference: string
  /** In cents of the order's currency. */
  readonly amount: number
  readonly method: PayoutMethod
  /** Null where the trader described it in words. */
  readonly destination: Destination | null
  /** The trader's words; empty for a destination that was checked. */
  readonly details: string
}

/** Everything that the bytes of a file depend on. */
export interface PaymentOrder {
  /** Letters, digits and hyphens, at most 35. */
  readonly id: string
  readonly format: BatchFormat
  readonly currency: BatchCurrency
  /** When it was released, in ms since 1970. */
  readonly at: number
  /** Only a bank's file names it. */
  readonly payer: FirmAccount | null
  readonly fileVersion: FileVersion
  /** The names for coins and networks in a file with wallets. */
  readonly codes: CoinCodes
  readonly payments: readonly OrderedPayment[]
}

/** 999,999,999.99, the most of a SEPA credit transfer. */
const MOST_SEPA = 99_999_999_999

/** Why a payment does not fit into a file of a format, as a sentence; undefined where it does. */
export function unfitFor(
  { format, currency }: Pick<PaymentOrder, 'format' | 'currency'>,
  { amount, method, destination, details }: Omit<OrderedPayment, 'reference'>,
): string | undefined {
  if (amount <= 0) return 'Nothing is left of the amount in this currency'
  switch (format) {
    case 'pain.001':
      return amount > MOST_SEPA ? 'A SEPA transfer is at most 999,999,999.99' : unfitForSepa(destination)
    case 'wise':
      return unfitForSepa(destination) ?? formulaIn(destination)
    case 'paypal':
      return method === 'paypal' && destination && 'email' in destination
        ? formulaIn(destination)
        : lacking('PayPal address', destination)
    case 'crypto':
      return destination && 'network' in destination
        ? unfitForWallet(currency, destination)
        : lacking('wallet address', destination)
    case 'csv':
      if (!destination)
        return details.trim() === ''
          ? `Nothing says where the money goes. ${WAY_OUT}`
          : formulaOf('destination', details)
      // Who pays by hand chooses the coin where the trader did not.
      if ('network' in destination && destination.coin) return unfitForWallet(currency, destination)
      return formulaIn(destination)
  }
}

/** A payment without a checked destination can be given one. */
const WAY_OUT = 'Choose “New Destination” in its row, or ask its trader to give one'

function lacking(what: string, destination: Destination | null): string {
  const fault = `It has no ${what} that was checked`
  return destination ? fault : `${fault}. ${WAY_OUT}`
}

function unfitForSepa(destination: Destination | null): string | undefined {
  if (!destination || !('iban' in destination)) return lacking('IBAN', destination)
  if (!isInSepa(destination.iban)) return 'Its IBAN belongs to a country outside SEPA'
  return hasSepaText(destination.holder) ? undefined : 'The name of the holder has no letter that a bank can read'
}

export type Wallet = Extract<Destination, { network: unknown }>

/** The coin that a wallet is paid: its trader's, else the one that its network is used for. */
export function coinPaid(currency: BatchCurrency, { coin, network }: Wallet): Coin {
  if (coin) return coin
  if (currency === 'EUR') return 'EURC'
  return network === 'TRC20' ? 'USDT' : 'USDC'
}

function unfitForWallet(currency: BatchCurrency, wallet: Wallet): string | undefined {
  const coin = coinPaid(currency, wallet)
  const isInEuro = coin === 'EURC'
  if (!coinsOn(wallet.network).includes(coin))
    return `There is no ${coin} on ${walletNetworkLabels[wallet.network]}: pay it in a batch in dollars`
  if (isInEuro === (currency === 'EUR')) return formulaIn(wallet)
  return `Its wallet takes ${coin}: pay it in a batch in ${isInEuro ? 'euro' : 'dollars'}`
}

/** Bank files cannot carry a mark that stops a spreadsheet from evaluating a cell. */
function formulaIn(destination: Destination | null): string | undefined {
  if (!destination) return undefined
  if ('email' in destination) return formulaOf('address', destination.email)
  if ('network' in destination) return formulaOf('wallet address', destination.address)
  return (
    formulaOf('name of the holder', destination.holder) ??
    ('bankName' in destination ? formulaOf('name of the bank', destination.bankName) : undefined)
  )
}

function formulaOf(what: string, text: string): string | undefined {
  return /^[=+\-@＝＋－＠\t\r\n\0]/.test(text)
    ? `The ${what} begins with ${JSON.stringify(text.slice(0, 1))}, which a spreadsheet would evaluate`
    : undefined
}
