import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { hashesEqual, type Secrets } from '#services/process/keys/derived-secrets.ts'

/** Content, expiry (ms since 1970), and random bits that make each token unique. */
const signedContent = z.tuple([z.string(), z.int(), z.string()])

export type SignedTokens = ReturnType<typeof createSignedTokens>

/**
 * Tokens that say what this installation once allowed, until when, for one purpose: they need no store, and any process
 * can check them. A caller that must not accept one twice has to remember it.
 */
export function createSignedTokens(secrets: Pick<Secrets, 'tokenMac'>, now: () => number) {
  const macOf = (purpose: string, payload: string) => secrets.tokenMac(JSON.stringify([purpose, payload]))
  return {
    /** @param purpose The token's use, with everything it is bound to. @param lifetime In ms. */
    sign(purpose: string, content: string, lifetime: number): string {
      const payload = Buffer.from(
        JSON.stringify([content, now() + lifetime, randomBytes(16).toString('base64url')]),
      ).toString('base64url')
      return `${payload}.${macOf(purpose, payload)}`
    },
    /** The content of a token that was signed for this purpose and has not expired. */
    verify(purpose: string, token: string): string | undefined {
      const [payload = '', mac = ''] = token.split('.')
      if (!hashesEqual(mac, macOf(purpose, payload))) return undefined
      const [content, expiresAt] = signedContent.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')))
      return now() < expiresAt ? content : undefined
    },
  }
}
