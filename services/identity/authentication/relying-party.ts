import { isIP } from 'node:net'

/** The site that passkeys are bound to. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
  /** Why browsers would refuse to make passkeys for this address, for people; null where they do not. */
  readonly unusable: string | null
}

/** Browsers make passkeys only for names, and only over HTTPS; localhost is an exception. */
export function relyingPartyOf({ hostname: id, origin, protocol }: URL): RelyingParty {
  const isAddress = isIP(id.replaceAll(/^\[|\]$/g, '')) !== 0
  const isLocal = id === 'localhost' || id.endsWith('.localhost')
  const unusable = isAddress
    ? `Passkeys need a host name, and this portal is at ${id}. Set PUBLIC_URL to an address with a name.`
    : protocol !== 'https:' && !isLocal
      ? `Passkeys need HTTPS, and this portal is at ${origin}. Set PUBLIC_URL to an https address.`
      : null
  return { id, origin, unusable }
}
