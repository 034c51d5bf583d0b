import { describe, expect, it } from 'vitest'
import {
  commitHeads,
  introduceSealingKey,
  recordCheckpoint,
  recordRestoration,
  type SealEvent,
  sealDecider,
  succeedSealingKey,
  type TreeCheckpointData,
} from './seal.ts'
import { givenEvents } from '#test-support/given-when-then.ts'

const given = givenEvents(sealDecider)
const introduced = (keyId: string): SealEvent => ({
  type: 'SealingKeyIntroduced',
  data: { keyId, publicKey: 'AAAA', endorsement: null },
})
const key = introduced('k1')
const heads = (number: number) => ({ size: number * 10 - 1, streams: 3, root: 'a root', restorations: [] })
const committed = (number: number): SealEvent => ({ type: 'StreamHeadsCommitted', data: heads(number) })
/** The events before it are a key, and two for each checkpoint before. */
const checkpoint = (number: number, size = number * 10, keyId = 'k1'): TreeCheckpointData => ({
  number,
  size,
  last: String(size),
  heads: number * 2 - 1,
  keyId,
  note: 'a note',
})
const signed = (number: number): SealEvent => ({ type: 'TreeCheckpointSigned', data: checkpoint(number) })

describe('tree checkpoints', () => {
  it('follow each other without a gap, each with more events', () => {
    given(key, committed(1))
      .when((state) => recordCheckpoint(state, checkpoint(1)))
      .then([signed(1)])
    given(key, committed(1), signed(1), committed(2))
      .when((state) => recordCheckpoint(state, checkpoint(2)))
      .then([signed(2)])
    for (const number of [1, 3])
      given(key, committed(1), signed(1), committed(2))
        .when((state) => recordCheckpoint(state, checkpoint(number)))
        .thenRefused('conflict', `Checkpoint ${number} does not follow the newest`)
    for (const size of [9, 10])
      given(key, committed(1), signed(1), committed(2))
        .when((state) => recordCheckpoint(state, checkpoint(2, size)))
        .thenRefused('conflict', 'Checkpoint 2 covers no more events than the newest')
  })

  it('cover the newest heads of streams, which cover more than the checkpoint before', () => {
    given(key)
      .when((state) => commitHeads(state, heads(1)))
      .then([committed(1)])
    given(key, committed(1), signed(1))
      .when((state) => commitHeads(state, { ...heads(2), size: 10 }))
      .thenRefused('conflict', 'The heads of 10 events are no newer than the newest checkpoint')
    for (const before of [[key], [key, committed(1), committed(1)], [key, committed(2)]])
      given(...before)
        .when((state) => recordCheckpoint(state, checkpoint(1)))
        .thenRefused('conflict', 'Checkpoint 1 does not cover the newest heads of streams')
    expect(given(key, signed(1)).state.newest).toBeNull()
  })

  it('name every time that the log was set back', () => {
    const restored: SealEvent = {
      type: 'LogRestored',
      data: { note: 'a note', from: 30, to: 10, reason: 'A disk broke' },
    }
    given(key, committed(1), signed(1))
      .when((state) => recordRestoration(state, { note: 'a note', from: 30 }, 'A disk broke'))
      .then([restored])
    const [event] = commitHeads(given(key, committed(1), signed(1), restored).state, heads(2))
    expect(event?.data).toMatchObject({
      size: 19,
      restorations: [{ at: expect.any(Number), from: 30, to: 10, reason: 'A disk broke' }],
    })
  })

  it('leave the newest with its time', () => {
    expect(given(key, committed(1), signed(1), committed(2), signed(2)).state.newest).toEqual({
      ...checkpoint(2),
      heads: { ...heads(2), revision: 3 },
      sealedAt: expect.any(Number),
    })
  })

  it('are signed only with the newest key, introduced before', () => {
    given(key, committed(1))
      .when((state) => recordCheckpoint(state, checkpoint(1, 10, 'k2')))
      .thenRefused('invalid', 'Checkpoint 1 is signed with an unknown key')
    given(key, committed(1), introduced('k2'))
      .when((state) => recordCheckpoint(state, checkpoint(1)))
      .thenRefused('conflict', 'Checkpoint 1 is signed with a key that another has followed')
    given(key)
      .when((state) => introduceSealingKey(state, { keyId: 'k1', publicKey: 'AAAA', endorsement: null }))
      .thenNothing()
    given(key, introduced('k2'))
      .when((state) => succeedSealingKey(state, 'k1', { keyId: 'k3', publicKey: 'AAAA', endorsement: 'e' }))
      .thenRefused('conflict', 'Key k1 is not the newest any more')
    expect(given(key, introduced('k2')).state.keys.map(({ id }) => id)).toEqual(['k1', 'k2'])
  })
})
