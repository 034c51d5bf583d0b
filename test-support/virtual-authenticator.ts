import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { z } from 'zod'

/** An authenticator as a browser uses it: makes passkeys (ES256, attestation 'none') and signs challenges with them. */

const creation = z.object({ challenge: z.string(), rp: z.object({ id: z.string() }), user: z.object({ id: z.string() }) })
const assertion = z.object({ challenge: z.string(), rpId: z.string() })

interface Credential {
  readonly id: Buffer
  readonly privateKey: KeyObject
  readonly userHandle: string
  counter: number
}

export interface SigningOptions {
  readonly credential?: Credential
  /** The site that the browser is on. */
  readonly origin?: string
  /** False for an authenticator that did not check its user. */
  readonly verified?: boolean
  /** Sets the counter back, as a cloned authenticator would. */
  readonly counter?: number
}

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest()

export function virtualAuthenticator(origin: string) {
  const credentials: Credential[] = []

  const clientData = (type: string, challenge: string, at: string) => Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }))
  const authenticatorData = (rpId: string, counter: number, { verified = true, attested }: { verified?: boolean; attested?: Buffer }) => {
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
      const cose = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
        Buffer.from(x, 'base64url'),
        Buffer.from([0x22, 0x58, 0x20]),
        Buffer.from(y, 'base64url'),
      ])
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credential.id.length]), credential.id, cose])
      const data = authenticatorData(rp.id, 0, { attested })
      // {"fmt": "none", "attStmt": {}, "authData": data}
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        Buffer.from([0x64]),
        Buffer.from('none'),
        Buffer.from([0x67]),
        Buffer.from('attStmt'),
        Buffer.from([0xa0, 0x68]),
        Buffer.from('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ])
      const id = base64url(credential.id)
      const response = { clientDataJSON: base64url(clientData('webauthn.create', challenge, origin)), attestationObject: base64url(attestationObject) }
      return { id, rawId: id, type: 'public-key', response }
    },

    /** Signs request options with its last passkey, or another. */
    sign(options: unknown, { credential = credentials.at(-1), origin: at = origin, verified = true, counter }: SigningOptions = {}) {
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
