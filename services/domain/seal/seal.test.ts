import { describe, expect, it } from 'vitest'
import { introduceSealingKey, recordSeal, type SealData, type SealEvent, sealDecider } from './seal.ts'
import { givenEvents } from '../../../test-support/given-when-then.ts'

const given = givenEvents(sealDecider)
const hash = 'ab'.repeat(32)
const key: SealEvent = { type: 'SealingKeyIntroduced', data: { keyId: 'k1', publicKey: 'AAAA', endorsement: null } }
const seal = (number: number, keyId = 'k1'): SealData => ({
  number,
  first: '1',
  last: '9',
  count: 9,
  root: hash,
  previous: null,
  sealedAt: 0,
  keyId,
  history: hash,
  signature: 's',
})
const sealed = (number: number): SealEvent => ({ type: 'FactsSealed', data: seal(number) })

describe('seals', () => {
  it('follow each other without a gap', () => {
    given(key)
      .when((state) => recordSeal(state, seal(1)))
      .then([sealed(1)])
    given(key, sealed(1))
      .when((state) => recordSeal(state, seal(2)))
      .then([sealed(2)])
    for (const number of [1, 3])
      given(key, sealed(1))
        .when((state) => recordSeal(state, seal(number)))
        .thenRefused('conflict', `Seal ${number} does not follow the newest`)
  })

  it('are signed only with a key that was introduced before', () => {
    given(key)
      .when((state) => recordSeal(state, seal(1, 'k2')))
      .thenRefused('invalid', 'Seal 1 is signed with an unknown key')
    given(key)
      .when((state) => introduceSealingKey(state, { keyId: 'k1', publicKey: 'AAAA', endorsement: null }))
      .thenNothing()
    expect(given(key, { type: 'SealingKeyIntroduced', data: { keyId: 'k2', publicKey: 'BBBB', endorsement: 'e' } }).state.keys.map(({ id }) => id)).toEqual([
      'k1',
      'k2',
    ])
  })
})
