import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyEventOf, appendedEvents, FIRST_EVENT_AT, frozen, givenEvents } from '#test-support/given-when-then.ts'
import { fold } from '#services/event-sourcing/decider.ts'
import {
  addPasskey,
  CHALLENGE_LIFETIME,
  hasSecondFactor,
  issueRecoveryCodes,
  MAX_PASSKEYS,
  removeFactorsAddedSince,
  removePasskey,
  REMOVAL_DELAY,
  removeSecondFactors,
  renamePasskey,
  requestRemoval,
  type SecondFactorEvent,
  type SecondFactors,
  secondFactorDecider,
  secondFactorEvents,
  settleRemoval,
  stopRemoval,
  turnOffAuthenticator,
  turnOnAuthenticator,
  useAuthenticatorCode,
  usePasskey,
  useRecoveryCode,
} from './second-factor.ts'

const given = givenEvents(secondFactorDecider)

const passkey = (n: number) => ({
  passkeyId: `k${n}`,
  name: `Key ${n}`,
  credentialId: `credential ${n}`,
  publicKey: 'public',
  counter: 0,
})
const added = (n = 1): SecondFactorEvent => ({ type: 'PasskeyAdded', data: passkey(n) })
const removed = (n = 1): SecondFactorEvent => ({
  type: 'PasskeyRemoved',
  data: { passkeyId: `k${n}`, name: `Key ${n}` },
})
const used = (counter: number, challengeHash: string): SecondFactorEvent => ({
  type: 'PasskeyUsed',
  data: { passkeyId: 'k1', counter, challengeHash },
})
const turnedOn: SecondFactorEvent = { type: 'AuthenticatorTurnedOn', data: { key: 'KEY', step: 100 } }
const turnedOff: SecondFactorEvent = { type: 'AuthenticatorTurnedOff', data: {} }
const issued: SecondFactorEvent = { type: 'RecoveryCodesIssued', data: { hashes: ['one', 'two'] } }
const LAST = 'Your firm requires a second factor. Add another one before you remove this one.'
const WRONG_CODE = 'This code is not valid. Codes work once.'

describe('a passkey', () => {
  const add = (n: number) => (factors: SecondFactors) => addPasskey(factors, passkey(n))

  it('is added, renamed and removed', () => {
    given().when(add(1)).then([added()])
    given(added())
      .when((factors) => renamePasskey(factors, 'k1', 'Phone'))
      .then([{ type: 'PasskeyRenamed', data: { passkeyId: 'k1', from: 'Key 1', to: 'Phone' } }])
    given(added())
      .when((factors) => renamePasskey(factors, 'k1', 'Key 1'))
      .thenNothing()
    given(added())
      .when((factors) => removePasskey(factors, 'k1', false))
      .then([removed()])
    expect(hasSecondFactor(given(added()).state)).toBe(true)
    expect(hasSecondFactor(given(added(), removed()).state)).toBe(false)
  })

  it('is added once, and not without end', () => {
    given(added()).when(add(1)).thenRefused('conflict', 'This passkey is already added')
    given(...Array.from({ length: MAX_PASSKEYS }, (_, n) => added(n)))
      .when(add(99))
      .thenRefused('conflict', 'You can add up to 20 passkeys. Remove one first.')
  })

  it('that is unknown is not found', () => {
    given(added())
      .when((factors) => renamePasskey(factors, 'k2', 'Phone'))
      .thenRefused('not-found', 'There is no such passkey')
    given(added())
      .when((factors) => removePasskey(factors, 'k2', false))
      .thenRefused('not-found', 'There is no such passkey')
  })

  it('stays while it is the last factor that the firm requires', () => {
    const remove = (factors: SecondFactors) => removePasskey(factors, 'k1', true)
    given(added()).when(remove).thenRefused('conflict', LAST)
    given(added(), added(2)).when(remove).then([removed()])
    given(added(), turnedOn).when(remove).then([removed()])
  })

  it('signs each challenge once, with a counter that rises or none', () => {
    const use = (counter: number, challengeHash: string) => (factors: SecondFactors) =>
      usePasskey(factors, { passkeyId: 'k1', counter, challengeHash })
    const REFUSED = 'This passkey could not be verified. Please try again.'
    given(added())
      .when(use(0, 'a'))
      .then([used(0, 'a')])
    given(added(), used(0, 'a'))
      .when(use(0, 'b'))
      .then([used(0, 'b')])
    given(added(), used(0, 'a')).when(use(0, 'a')).thenRefused('invalid', REFUSED, 'passkey')
    given(added(), used(5, 'a'))
      .when(use(6, 'b'))
      .then([used(6, 'b')])
    given(added(), used(5, 'a')).when(use(6, 'a')).thenRefused('invalid', REFUSED, 'passkey')
    for (const counter of [5, 4, 0])
      given(added(), used(5, 'a')).when(use(counter, 'b')).thenRefused('invalid', REFUSED, 'passkey')
  })

  it('remembers a challenge longer than it is valid, and not for ever', () => {
    const after = (ms: number) =>
      fold(secondFactorDecider, [
        { ...added(), at: 0, revision: 0 },
        { ...used(0, 'a'), at: 0, revision: 1 },
        { ...used(0, 'b'), at: ms, revision: 2 },
      ]).usedChallenges.map(({ hash }) => hash)
    expect(after(CHALLENGE_LIFETIME + 1)).toEqual(['a', 'b'])
    expect(after(2 * CHALLENGE_LIFETIME)).toEqual(['b'])
  })
})

describe('an authenticator app', () => {
  it('is turned on with its first code, and off', () => {
    given()
      .when((factors) => turnOnAuthenticator(factors, 'KEY', 100))
      .then([turnedOn])
    given(turnedOn)
      .when((factors) => turnOnAuthenticator(factors, 'OTHER', 100))
      .thenRefused('conflict', 'An authenticator app is already turned on. Turn it off first.')
    given(turnedOn)
      .when((factors) => turnOffAuthenticator(factors, false))
      .then([turnedOff])
    given()
      .when((factors) => turnOffAuthenticator(factors, false))
      .thenNothing()
    given(turnedOn)
      .when((factors) => turnOffAuthenticator(factors, true))
      .thenRefused('conflict', LAST)
    given(turnedOn, added())
      .when((factors) => turnOffAuthenticator(factors, true))
      .then([turnedOff])
  })

  it('has each code accepted once, and none that is older', () => {
    const use =
      (step: number, key = 'KEY') =>
      (factors: SecondFactors) =>
        useAuthenticatorCode(factors, key, step)
    given(turnedOn)
      .when(use(101))
      .then([{ type: 'AuthenticatorCodeUsed', data: { step: 101 } }])
    // The code that turned it on counts as used.
    for (const step of [100, 99]) given(turnedOn).when(use(step)).thenRefused('invalid', WRONG_CODE, 'code')
    given(turnedOn, { type: 'AuthenticatorCodeUsed', data: { step: 102 } })
      .when(use(102))
      .thenRefused('invalid', WRONG_CODE, 'code')
    given(turnedOn).when(use(101, 'an older key')).thenRefused('invalid', WRONG_CODE, 'code')
    given(turnedOn, turnedOff).when(use(101)).thenRefused('invalid', WRONG_CODE, 'code')
  })
})

describe('recovery codes', () => {
  it('need a factor that they can stand in for, and end with the last one', () => {
    const issue = (factors: SecondFactors) => issueRecoveryCodes(factors, ['one', 'two'])
    given().when(issue).thenRefused('conflict', 'Add a passkey or an authenticator app first')
    given(added()).when(issue).then([issued])
    expect(given(added(), turnedOn, issued, removed()).state.recoveryCodes).not.toBeNull()
    expect(given(added(), issued, removed()).state.recoveryCodes).toBeNull()
    expect(given(turnedOn, issued, turnedOff).state.recoveryCodes).toBeNull()
  })

  it('work once, and until newer ones are issued', () => {
    const use = (hash: string) => (factors: SecondFactors) => useRecoveryCode(factors, hash)
    const usedOne: SecondFactorEvent = { type: 'RecoveryCodeUsed', data: { hash: 'one', left: 1 } }
    given(added(), issued).when(use('one')).then([usedOne])
    given(added(), issued, usedOne).when(use('one')).thenRefused('invalid', WRONG_CODE, 'code')
    given(added(), issued, { type: 'RecoveryCodesIssued', data: { hashes: ['three'] } })
      .when(use('two'))
      .thenRefused('invalid', WRONG_CODE, 'code')
    given(added()).when(use('one')).thenRefused('invalid', WRONG_CODE, 'code')
  })
})

describe('the removal of second factors that were lost', () => {
  const now = FIRST_EVENT_AT
  const asked: SecondFactorEvent = {
    type: 'FactorRemovalRequested',
    data: { question: 'order-number', dueAt: now + REMOVAL_DELAY },
  }
  const stopped: SecondFactorEvent = { type: 'FactorRemovalStopped', data: {} }
  const ask = (factors: SecondFactors) => requestRemoval(factors, 'order-number', now)
  const stopAt = (at: number) => (factors: SecondFactors) => stopRemoval(factors, at)
  const settleAt = (at: number) => (factors: SecondFactors) => settleRemoval(factors, at)
  const gone: SecondFactorEvent = { type: 'SecondFactorsRemoved', data: {} }

  it('is asked for once, of factors that are there', () => {
    given(added()).when(ask).then([asked])
    given(turnedOn).when(ask).then([asked])
    given().when(ask).thenRefused('conflict', 'This user has no second factors')
    given(added(), asked).when(ask).thenRefused('conflict', 'The removal of these second factors was already asked for')
  })

  it('can be stopped until its time has come, and asked for again', () => {
    given(added(), asked)
      .when(stopAt(now + REMOVAL_DELAY - 1))
      .then([stopped])
    given(added(), asked, stopped).when(ask).then([asked])
    given(added(), asked, stopped).when(stopAt(now)).thenRefused('conflict', 'No removal of second factors waits')
    given(added()).when(stopAt(now)).thenRefused('conflict', 'No removal of second factors waits')
    given(added(), asked)
      .when(stopAt(now + REMOVAL_DELAY))
      .thenRefused('conflict', 'The second factors are removed already')
  })

  it('happens once its time has come, and never where it was stopped', () => {
    given(added(), asked)
      .when(settleAt(now + REMOVAL_DELAY - 1))
      .thenNothing()
    given(added(), asked)
      .when(settleAt(now + REMOVAL_DELAY))
      .then([gone])
    given(added(), asked, gone)
      .when(settleAt(now + REMOVAL_DELAY))
      .thenNothing()
    given(added(), asked, stopped)
      .when(settleAt(now + REMOVAL_DELAY))
      .thenNothing()
    expect(given(added(), asked, gone).state.removal).toBeNull()
  })
})

describe('second factors', () => {
  it('are removed all at once', () => {
    given(added(), turnedOn, issued)
      .when(removeSecondFactors)
      .then([{ type: 'SecondFactorsRemoved', data: {} }])
    given().when(removeSecondFactors).thenNothing()
    expect(given(added(), turnedOn, issued, { type: 'SecondFactorsRemoved', data: {} }).state).toEqual({
      ...given().state,
      sessionsEndedAt: expect.any(Number),
    })
  })

  it('added since a moment are removed, older ones stay', () => {
    const before = given(added(), turnedOn, issued)
    before
      .when((factors) => removeFactorsAddedSince(factors, FIRST_EVENT_AT))
      .then([removed(), turnedOff, { type: 'RecoveryCodesIssued', data: { hashes: [] } }])
    before.when((factors) => removeFactorsAddedSince(factors, FIRST_EVENT_AT + 1_000_000)).thenNothing()
  })

  it('fold from every type of event, without changing what they are given', () => {
    fc.assert(
      fc.property(fc.array(anyEventOf(secondFactorEvents), { maxLength: 10 }), (events) => {
        const { passkeys, authenticator, recoveryCodes } = fold(frozen(secondFactorDecider), appendedEvents(events))
        expect(
          passkeys.every(({ id }) => events.some(({ type, data }) => type === 'PasskeyAdded' && data.passkeyId === id)),
        ).toBe(true)
        if (authenticator) expect(events.some(({ type }) => type === 'AuthenticatorTurnedOn')).toBe(true)
        if (recoveryCodes) expect(events.some(({ type }) => type === 'RecoveryCodesIssued')).toBe(true)
      }),
    )
  })
})
