import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { createBase58check } from '@scure/base'
import { email as emailAddress } from '#services/framework/api/email-address.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import type { Destination } from '#services/trading/stream/destination-vocabulary.ts'
import type { DestinationRequest } from '../payout-api.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import { walletNetworks } from '#services/trading/stream/payout-vocabulary.ts'
import { faultOfCoin } from '#services/trading/stream/coin-vocabulary.ts'
import { bicFault, ibanFault, isInSepa, normalBic, normalIban } from '#services/payments/bank-codes.ts'
import { faultOfOwner } from './wallets-of-nobody.ts'

/**
 * The destination of a request in its normal form, which belongs to its method.
 *
 * @throws {HttpError} 400 with every fault by its field.
 */
export function checkedDestination(method: PayoutMethod, request: DestinationRequest): Destination {
  const faults: Record<string, string> = {}
  const field = (name: keyof DestinationRequest, check: (text: string) => string | undefined): string => {
    const text = request[name] ?? ''
    const fault = text === '' ? 'Required' : check(text)
    if (fault !== undefined) faults[`destination.${name}`] = fault
    return text
  }
  const made = destinationOf(method, request, field)
  const [message] = Object.values(faults)
  if (message !== undefined) throw new HttpError(400, { message, errors: faults })
  return made
}

type Field = (name: keyof DestinationRequest, check: (text: string) => string | undefined) => string

function destinationOf(method: PayoutMethod, request: DestinationRequest, field: Field): Destination {
  switch (method) {
    case 'bank':
      return bankOf(request, field)
    case 'paypal':
    case 'skrill':
      return { email: normalEmail(field('email', emailFault)) }
    case 'crypto': {
      const network = walletNetworks.find((one) => one === request.network) ?? 'ERC20'
      field('network', () => undefined)
      const address = field('address', (text) => addressFault(network, text))
      const { coin } = request
      if (coin !== undefined && request.network !== undefined) field('coin', () => faultOfCoin(coin, network))
      return {
        network,
        ...(coin !== undefined && { coin }),
        address: network === 'TRC20' ? address : checksummed(address),
      }
    }
  }
}

function bankOf(request: DestinationRequest, field: Field): Destination {
  const holder = field('holder', () => undefined)
  if (request.accountNumber === undefined || request.iban !== undefined) {
    const iban = normalIban(field('iban', (text) => ibanFault(text) ?? outsideSepa(normalIban(text))))
    return { holder, iban, ...(request.bic ? { bic: bicOf(field) } : {}) }
  }
  return {
    holder,
    accountNumber: field('accountNumber', (text) =>
      /^[A-Za-z0-9][A-Za-z0-9 /.-]{2,33}$/.test(text) ? undefined : 'Please enter a valid account number',
    ),
    bic: bicOf(field),
    bankName: field('bankName', () => undefined),
  }
}

/** Euro by IBAN go within SEPA only; elsewhere a bank needs all four. */
function outsideSepa(iban: string): string | undefined {
  if (isInSepa(iban)) return undefined
  return 'This IBAN is of a country outside SEPA. Please give it as the account number, with BIC and bank name'
}

function bicOf(field: Field): string {
  return normalBic(field('bic', bicFault))
}

const emailSchema = emailAddress('Please enter a valid email address')

function emailFault(text: string): string | undefined {
  return emailSchema.safeParse(text).success ? undefined : 'Please enter a valid email address'
}

function normalEmail(text: string): string {
  return emailSchema.safeParse(text).data ?? text
}

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

/** The first byte of every address of TRON. */
const TRON = 0x41

function addressFault(network: Extract<Destination, { network: unknown }>['network'], text: string) {
  if (network === 'TRC20') {
    return isTron(text) ? faultOfOwner(text) : 'This is no address of the TRC20 network, or it is mistyped'
  }
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return `This is no address of the ${network} network`
  // An address in one case has no checksum (EIP-55).
  const hasChecksum = /[a-f]/.test(text) && /[A-F]/.test(text)
  if (hasChecksum && checksummed(text) !== text) return 'This address is mistyped: its checksum does not fit'
  return faultOfOwner(text)
}

function isTron(text: string): boolean {
  try {
    const bytes = base58check.decode(text)
    return bytes.length === 21 && bytes[0] === TRON
  } catch {
    return false
  }
}

/** An address of Ethereum and its like with the letter case that is its checksum (EIP-55). */
function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = Buffer.from(keccak_256(Buffer.from(digits, 'ascii'))).toString('hex')
  return `0x${[...digits].map((digit, at) => (parseInt(hash[at] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`
}
