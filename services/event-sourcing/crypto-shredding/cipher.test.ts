import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { open, seal } from './cipher.ts'

const key = new Uint8Array(32).fill(7)

describe('a sealed box', () => {
  it('opens to exactly what was put in', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'binary' }), (plain, context) => {
        expect(open(key, seal(key, plain, context), context)).toEqual(Buffer.from(plain))
      }),
    )
    expect(open(key, seal(key, 'Ädä', 'c'), 'c').toString()).toBe('Ädä')
  })

  it('opens only with its key and in its context', () => {
    const box = seal(key, 'secret', 'context')
    expect(() => open(new Uint8Array(32).fill(8), box, 'context')).toThrow()
    expect(() => open(key, box, 'Context')).toThrow()
    expect(() => open(key, box, '')).toThrow()
  })

  it('does not open once any bit was changed', () => {
    const box = seal(key, 'secret', 'context')
    for (let bit = 0; bit < box.length * 8; bit++) {
      const changed = Buffer.from(box)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => open(key, changed, 'context')).toThrow()
    }
  })

  it('does not open when it was cut, anywhere: a short tag is no tag', () => {
    const box = seal(key, '', 'context')
    for (let length = 0; length < box.length; length++) expect(() => open(key, box.subarray(0, length), 'context')).toThrow()
  })

  it('is another one each time', () => expect(seal(key, 'secret', 'context')).not.toEqual(seal(key, 'secret', 'context')))
})
