import { type WalletNetwork, walletNetworkLabels } from './payout-vocabulary.ts'

/** The coins that a payout is paid in, each worth a dollar or a euro. */
export const coins = ['USDC', 'USDT', 'EURC'] as const
export type Coin = (typeof coins)[number]

/**
 * The coins that exist on each network, looked up on 27 November 2026: the contract addresses of USDC and EURC at
 * developers.circle.com, the supported protocols at tether.to.
 *
 * - EURC is issued on Ethereum, and on none of the others.
 * - Circle ended USDC on TRON: none is made since 20 February 2024, none is taken back since February 2025.
 * - On BNB Smart Chain neither Circle nor Tether issues a coin. What wallets and exchanges there call USDC and USDT is
 *   Binance-Peg, backed by Binance. Providers pay it under these names, so traders may choose it; the form says so.
 * - USDT on Polygon is USDT0 since 2025, backed one to one by Tether's and at the contract it always had.
 */
const coinsByNetwork: Readonly<Record<WalletNetwork, readonly Coin[]>> = {
  ERC20: ['USDC', 'USDT', 'EURC'],
  TRC20: ['USDT'],
  BEP20: ['USDC', 'USDT'],
  POLYGON: ['USDC', 'USDT'],
}

/** The coins that a wallet on a network can be paid in. */
export function coinsOn(network: WalletNetwork): readonly Coin[] {
  return coinsByNetwork[network]
}

/** Why a coin is not paid on a network, as a sentence; undefined where it is. */
export function faultOfCoin(coin: Coin, network: WalletNetwork): string | undefined {
  const there = coinsOn(network)
  if (there.includes(coin)) return undefined
  return `There is no ${coin} on ${walletNetworkLabels[network]}. Please choose ${there.join(' or ')}, or another network`
}
