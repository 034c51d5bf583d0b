import { describe, expect, it } from 'vitest'
import { wasInHands } from './in-hands.ts'

const kill = { service: 'command', from: 10_000, to: 10_200 }
const had = (call: 'GET' | 'POST', sentAt: number, endedAt: number) => wasInHands({ call, sentAt, endedAt }, [kill])

describe('a replica that was killed', () => {
  it('had a request that was sent while it lived and ended with it', () => {
    expect(had('POST', 9_900, 10_150)).toBe(true)
    expect(had('POST', 10_100, 10_300)).toBe(true)
  })

  it('had none that was sent after its end, nor one that had ended before', () => {
    expect(had('POST', 10_201, 10_300)).toBe(false)
    expect(had('POST', 5_100, 9_900)).toBe(false)
  })

  it('had none that waited for something else after its end', () => {
    expect(had('POST', 9_900, 13_000)).toBe(false)
  })

  it('had none that another service serves', () => {
    expect(had('GET', 9_900, 10_150)).toBe(false)
  })
})
