import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ERASED } from './erased.ts'
import { defineEvents, personal } from './event-definitions.ts'

describe('defining events', () => {
  const text = z.string()
  const defined = defineEvents({
    Moved: { from: text, to: personal(text), why: text },
    Rested: {},
    Listed: { names: personal(z.array(text), []) },
  })

  it('knows the personal fields and their erased values', () => {
    expect([...defined.Moved.personal]).toEqual([['to', ERASED]])
    expect([...defined.Listed.personal]).toEqual([['names', []]])
    expect(defined.Rested.personal.size).toBe(0)
  })

  it('marks the field without changing its schema', () => {
    expect(defined.Moved.personal.has('from')).toBe(false)
    expect(defined.Moved.personal.has('why')).toBe(false)
  })

  it('parses defined fields only', () => {
    expect(defined.Moved.schema.parse({ from: 'a', to: 'b', why: 'c', more: 'd' })).toEqual({
      from: 'a',
      to: 'b',
      why: 'c',
    })
    expect(defined.Moved.schema.safeParse({ from: 'a', to: 'b' }).success).toBe(false)
  })
})
