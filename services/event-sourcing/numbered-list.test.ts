import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NumberedList } from './numbered-list.ts'

const item = (number: number, text = '') => ({ id: `trader01-p${number}`, text })
const none = new NumberedList<string, ReturnType<typeof item>>()

describe('numbered things', () => {
  it('are found by their id, read like a map', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.string()), { maxLength: 60 }), (put) => {
        const map = new Map<string, ReturnType<typeof item>>()
        let numbered = none
        for (const [number, text] of put) {
          numbered = numbered.with(item(number, text))
          map.set(item(number).id, item(number, text))
        }
        for (let number = 0; number <= 61; number++) {
          expect(numbered.get(item(number).id)).toEqual(map.get(item(number).id))
          expect(numbered.has(item(number).id)).toBe(map.has(item(number).id))
        }
        expect(numbered.highest).toBe(Math.max(0, ...put.map(([number]) => number)))
      }),
    )
  })

  it('come in the order of their numbers, without the ones that are not there', () => {
    const numbered = none.with(item(12)).with(item(3)).with(item(1)).with(item(3, 'again'))
    expect([...numbered.values()]).toEqual([item(1), item(3, 'again'), item(12)])
  })

  it('stay as they are when one is added to a copy', () => {
    const before = none.with(item(1))
    before.with(item(2)).with(item(1, 'changed'))
    expect([...before.values()]).toEqual([item(1)])
  })

  it.each(['trader01-p0', 'trader02-p1', 'trader01-c1', 'trader01', ''])('do not answer to %j', (id) => {
    expect(none.with(item(1)).get(id)).toBeUndefined()
  })

  it.each(['trader01-p0', 'trader01-p-1', 'trader01-px', 'trader01', ''])('do not take %j', (id) => {
    expect(() => none.with({ id, text: '' })).toThrow(TypeError)
  })
})
