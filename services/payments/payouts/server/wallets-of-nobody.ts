/**
 * Addresses that pass every check and belong to no person: what is sent to them is lost. People copy them from the page
 * of a coin instead of their own wallet. Sources: the lists of contracts of circle.com (USDC, EURC) and tether.to
 * (USDT), the explorers of BNB Smart Chain, Polygon and TRON for their pegged coins and for burnt ones, looked up on
 * 27 November 2026.
 */

/** Contracts of coins, by their names. An address of one network is as little a wallet on the others. */
const contracts: Readonly<Record<string, readonly string[]>> = {
  USDT: [
    '0xdAC17F958D2ee523a2206206994597C13D831ec7', // Ethereum
    '0x55d398326f99059fF775485246999027B3197955', // BNB Smart Chain
    '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', // Polygon
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', // TRON
  ],
  USDC: [
    '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', // Ethereum
    '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', // BNB Smart Chain
    '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', // Polygon
    '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', // Polygon, bridged
    'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', // TRON
  ],
  EURC: [
    '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', // Ethereum
  ],
}

/** Where coins are sent to be destroyed, and what programs write for "no address". */
const burnt = [
  '0x000000000000000000000000000000000000dEaD',
  '0xdEAD000000000000000042069420694206942069',
  '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', // TRON's zero
  'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy',
]

const lower = (addresses: readonly string[]) => new Set(addresses.map((address) => address.toLowerCase()))
const coins = Object.entries(contracts).map(([coin, addresses]) => [coin, lower(addresses)] as const)
const lost = lower(burnt)

/** Zero, and the addresses of the built-in contracts of Ethereum and its like (precompiles, and Polygon's 0x…1010). */
const builtIn = /^0x0{36}[0-9a-f]{4}$/

/** Why nobody can be paid at an address of a known network, as a sentence; undefined where somebody may own it. */
export function faultOfOwner(address: string): string | undefined {
  const one = address.toLowerCase()
  const coin = coins.find(([, known]) => known.has(one))?.[0]
  if (coin !== undefined) return `This is the contract of ${coin}, not your wallet: what is sent to it is lost`
  return lost.has(one) || builtIn.test(one) ? 'This address is nobody’s: what is sent to it is lost' : undefined
}
