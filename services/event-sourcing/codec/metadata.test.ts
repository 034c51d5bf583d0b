import { describe, expect, it } from 'vitest'
import { metadata, systemContext } from './metadata.ts'

const whole = {
  version: 1,
  at: 1_760_000_000_000,
  actor: { kind: 'system', label: 'worker' },
  requestId: 'r1',
  causationId: 'c1',
  correlationId: 'o1',
  previous: null,
}

describe('metadata', () => {
  it.each([
    { kind: 'trader', id: 'ada00000' },
    { kind: 'admin', id: 'a1', label: 'Dana' },
    { kind: 'system', label: 'worker' },
  ])('names who did it: $kind', (actor) => expect(metadata.parse({ ...whole, actor })).toEqual({ ...whole, actor }))

  it.each(Object.keys(whole))('needs its %s', (field) => {
    expect(metadata.safeParse({ ...whole, [field]: undefined }).success).toBe(false)
  })

  it('holds only kind, label and id of who did it', () => {
    const actor = { kind: 'admin', id: 'a1', label: 'Dana', accessKey: 'secret' }
    expect(JSON.stringify(metadata.parse({ ...whole, actor }))).not.toContain('secret')
  })

  it('names the program and the cause of automatic changes', () => {
    const actor = { kind: 'system', label: 'worker' }
    expect(systemContext('worker', 'r1')).toEqual({ actor, requestId: 'r1', causationId: 'r1', correlationId: 'r1' })
    expect(systemContext('worker', 'r1', 'e1')).toEqual({
      actor,
      requestId: 'r1',
      causationId: 'e1',
      correlationId: 'e1',
    })
  })
})
