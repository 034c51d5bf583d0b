import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '#test-support/any-text.ts'
import { decrypt, encrypt } from './cipher.ts'

const key = new Uint8Array(32).fill(7)

describe('a ciphertext', () => {
  it('decrypts to the exact plaintext', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), anyText(), (plain, context) => {
        expect(decrypt(key, encrypt(key, plain, context), context)).toEqual(Buffer.from(plain))
      }),
    )
    expect(decrypt(key, encrypt(key, 'Ädä', 'c'), 'c').toString()).toBe('Ädä')
  })

  it('decrypts only with its key and context', () => {
    const box = encrypt(key, 'secret', 'context')
    expect(() => decrypt(new Uint8Array(32).fill(8), box, 'context')).toThrow()
    expect(() => decrypt(key, box, 'Context')).toThrow()
    expect(() => decrypt(key, box, '')).toThrow()
  })

  it('does not decrypt after any bit changes', () => {
    const box = encrypt(key, 'secret', 'context')
    for (let bit = 0; bit < box.length * 8; bit++) {
      const changed = Buffer.from(box)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => decrypt(key, changed, 'context')).toThrow()
    }
  })

  it('does not decrypt when truncated anywhere', () => {
    const box = encrypt(key, '', 'context')
    for (let length = 0; length < box.length; length++)
      expect(() => decrypt(key, box.subarray(0, length), 'context')).toThrow()
  })

  it('differs each time', () =>
    expect(encrypt(key, 'secret', 'context')).not.toEqual(encrypt(key, 'secret', 'context')))
})
