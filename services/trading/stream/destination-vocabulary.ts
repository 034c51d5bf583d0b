import { z } from 'zod'
import { walletNetworks } from './payout-vocabulary.ts'
import { coins } from './coin-vocabulary.ts'

/** Where the money of a payout goes, checked by `server/checked-destination.ts` before it is recorded. */

const text = z.string()

export const destination = z.union([
  z.object({ holder: text, iban: text, bic: text.optional() }),
  z.object({ holder: text, accountNumber: text, bic: text, bankName: text }),
  z.object({ email: text }),
  z.object({ network: z.enum(walletNetworks), coin: z.enum(coins).optional(), address: text }),
])

export type Destination = z.infer<typeof destination>

/** A destination in one line, with the account and the address shortened: enough to recognise it. */
export function shortDestination(to: Destination): string {
  if ('iban' in to) return `${to.holder}, ${ends(to.iban)}`
  if ('accountNumber' in to) return `${to.holder}, ${ends(to.accountNumber)}, ${to.bankName}`
  if ('email' in to) return to.email
  return `${walletKind(to)} ${ends(to.address, 6)}`
}

/** A destination in full, for a member of staff who pays by hand. */
export function fullDestination(to: Destination): string {
  if ('iban' in to) return [to.holder, to.iban, to.bic].filter((part) => part !== undefined).join(', ')
  if ('accountNumber' in to) return [to.holder, to.accountNumber, to.bic, to.bankName].join(', ')
  if ('email' in to) return to.email
  return `${walletKind(to)} ${to.address}`
}

/** 'USDT TRC20', 'TRC20' where the trader left the coin to the firm. */
function walletKind({ coin, network }: Extract<Destination, { network: unknown }>): string {
  return coin === undefined ? network : `${coin} ${network}`
}

function ends(name: string, first = 4): string {
  return name.length > first + 4 ? `${name.slice(0, first)}…${name.slice(-4)}` : `…${name.slice(-2)}`
}

/** Returns the destination of a payout in words: the trader's own text, or else the short form. */
export function destinationText(details: string, to: Destination | null): string {
  return details || (to ? shortDestination(to) : '')
}
