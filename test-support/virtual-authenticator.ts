import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { z } from 'zod'

/** An authenticator as a browser uses it: makes passkeys (ES256, attestation 'none') and signs challenges with them. */

const creation = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string() }),
  user: z.object({ id: z.string() }),
})
const assertion = z.object({ challenge: z.string(), rpId: z.string() })

interface Credential {
  readonly id: Buffer
  readonly privateKey: KeyObject
  readonly userHandle: string
  counter: number
}

export interface SigningOptions {
  /** The site that the browser is on. */
  readonly origin?: string
  /** False for an authenticator that did not check its user. */
  readonly verified?: boolean
  /** Sets the counter back, as a cloned authenticator would. */
  readonly counter?: number
}

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
/** The bytes of these parts; a text is hex. */
const concat = (...parts: readonly (string | Uint8Array)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)))
const text = (ascii: string) => Buffer.from(ascii)
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest()

export function virtualAuthenticator(origin: string) {
  const credentials: Credential[] = []

  const clientData = (type: string, challenge: string, at: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }))
  const authenticatorData = (
    rpId: string,
    counter: number,
    { verified = true, attested }: { verified?: boolean; attested?: Buffer },
  ) => {
    const counterBytes = Buffer.alloc(4)
    counterBytes.writeUInt32BE(counter)
    const flags = 0x01 | (verified ? 0x04 : 0) | (attested ? 0x40 : 0)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counterBytes, attested ?? Buffer.alloc(0)])
  }

  return {
    credentials,

    /** Makes a passkey for creation options. */
    create(options: unknown) {
      const { challenge, rp, user } = creation.parse(options)
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const credential: Credential = { id: randomBytes(16), privateKey, userHandle: user.id, counter: 0 }
      credentials.push(credential)
      // A COSE key in CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
      const cose = concat('a5010203262001215820', Buffer.from(x, 'base64url'), '225820', Buffer.from(y, 'base64url'))
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credential.id.length]), credential.id, cose])
      const data = authenticatorData(rp.id, 0, { attested })
      // {"fmt": "none", "attStmt": {}, "authData": data}
      const beforeData = concat(
        'a363',
        text('fmt'),
        '64',
        text('none'),
        '67',
        text('attStmt'),
        'a068',
        text('authData'),
      )
      const attestationObject = concat(beforeData, '58', Buffer.from([data.length]), data)
      const id = base64url(credential.id)
      const response = {
        clientDataJSON: base64url(clientData('webauthn.create', challenge, origin)),
        attestationObject: base64url(attestationObject),
      }
      return { id, rawId: id, type: 'public-key', response }
    },

    /** Signs request options with its last passkey. */
    sign(options: unknown, { origin: at = origin, verified = true, counter }: SigningOptions = {}) {
      const credential = credentials.at(-1)
      if (!credential) throw new Error('This authenticator has no passkey')
      const { challenge, rpId } = assertion.parse(options)
      credential.counter = counter ?? credential.counter + 1
      const data = authenticatorData(rpId, credential.counter, { verified })
      const client = clientData('webauthn.get', challenge, at)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), credential.privateKey)
      const id = base64url(credential.id)
      const response = {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle: credential.userHandle,
      }
      return { id, rawId: id, type: 'public-key', response }
    },
  }
}

export type VirtualAuthenticator = ReturnType<typeof virtualAuthenticator>
