import { type Coin, coinsOn } from '#services/trading/stream/coin-vocabulary.ts'
import { type WalletNetwork, walletNetworkLabels, walletNetworks } from '#services/trading/stream/payout-vocabulary.ts'

/** The names that the firm's provider has for a coin on a network, and for a network, in files of payments to wallets. */

/** By the names of `ownCodes`; one that is missing is ours. */
export type CoinCodes = Readonly<Record<string, string>>

const nameOf = (coin: Coin, network: WalletNetwork) => `${coin}_${network}`

const coinsOnNetworks = walletNetworks.flatMap((network) => coinsOn(network).map((coin) => ({ coin, network })))

/** Ours: the coin and the network by their names. */
export const ownCodes: CoinCodes = Object.fromEntries([
  ...coinsOnNetworks.map(({ coin, network }) => [nameOf(coin, network), coin]),
  ...walletNetworks.map((network) => [network, network]),
])

/** The coin and network of each code, for people. */
export const codeLabels: Readonly<Record<string, string>> = Object.fromEntries([
  ...coinsOnNetworks.map(({ coin, network }) => [nameOf(coin, network), `${coin} on ${walletNetworkLabels[network]}`]),
  ...walletNetworks.map((network) => [network, walletNetworkLabels[network]]),
])

/** The codes of a coin and its network, ours where none is set. */
export function codesOf(codes: CoinCodes, coin: Coin, network: WalletNetwork): { currency: string; network: string } {
  return { currency: codes[nameOf(coin, network)] ?? coin, network: codes[network] ?? network }
}
