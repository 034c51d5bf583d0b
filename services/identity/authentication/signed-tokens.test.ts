import { describe, expect, it } from 'vitest'
import { deriveSecrets } from '#services/process/keys/derived-secrets.ts'
import { createSignedTokens } from './signed-tokens.ts'

describe('a signed token', () => {
  let time = Date.parse('2026-11-22T12:00:00Z')
  const now = () => time
  const tokens = createSignedTokens(deriveSecrets('one installation'), now)
  const signed = tokens.sign('a purpose', 'content', 60_000)

  it('counts only as it was signed', () => {
    expect(tokens.verify('a purpose', signed)).toBe('content')
    for (const [index, character] of [...signed].entries()) {
      const changed = signed.slice(0, index) + (character === 'A' ? 'B' : 'A') + signed.slice(index + 1)
      expect([index, tokens.verify('a purpose', changed)]).toEqual([index, undefined])
    }
    for (const malformed of ['', '.', 'x.', `.${signed}`, signed.split('.')[0] ?? ''])
      expect(tokens.verify('a purpose', malformed)).toBeUndefined()
    expect(createSignedTokens(deriveSecrets('another installation'), now).verify('a purpose', signed)).toBeUndefined()
  })

  it('counts for its purpose only', () => {
    expect(tokens.verify('another purpose', signed)).toBeUndefined()
  })

  it('counts until it expires', () => {
    time += 59_999
    expect(tokens.verify('a purpose', signed)).toBe('content')
    time += 1
    expect(tokens.verify('a purpose', signed)).toBeUndefined()
  })

  it('is another each time', () => {
    expect(tokens.sign('a purpose', 'content', 60_000)).not.toBe(signed)
  })
})
