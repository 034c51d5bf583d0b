import { describe, expect, it } from 'vitest'
import {
  startMail,
  restartMail,
  foundInstallation,
  installationDecider,
  type InstallationEvent,
  recordRotation,
  requestRetry,
} from './installation.ts'
import { givenEvents } from '#test-support/given-when-then.ts'

const given = givenEvents(installationDecider)
const founded: InstallationEvent = { type: 'InstallationFounded', data: {} }
const mailBegan: InstallationEvent = { type: 'MailBegan', data: {} }
const event = { reader: 'users', stream: 'account-ada00000-a1', revision: 7 }
const request: InstallationEvent = { type: 'RetryRequested', data: event }

describe('an installation', () => {
  it('is founded once', () => {
    given().when(foundInstallation).then([founded])
    given(founded).when(foundInstallation).thenNothing()
    expect(given().state.founded).toBe(false)
    expect(given(founded).state.founded).toBe(true)
  })

  it('records every request to retry an event, and is not founded by it', () => {
    given(founded, request)
      .when(() => requestRetry(event))
      .then([request])
    expect(given(request).state.founded).toBe(false)
    expect(given(founded, request).state.founded).toBe(true)
  })

  it('starts mail once, and again on request: the last start counts', () => {
    given(founded).when(startMail).then([mailBegan])
    given(founded, mailBegan).when(startMail).thenNothing()
    given(mailBegan, founded).when(restartMail).then([mailBegan])
    expect(given(founded).state.mailStartRevision).toBeNull()
    expect(given(founded, mailBegan).state.mailStartRevision).toBe(1)
    expect(given(mailBegan, founded, mailBegan, request).state).toEqual({
      founded: true,
      mailStartRevision: 2,
      rotations: 0,
    })
  })

  it('records each rotation of its master key once, and several unrecorded ones as one', () => {
    const exchanged = (rotations: number): InstallationEvent => ({ type: 'MasterKeyRotated', data: { rotations } })
    given(founded)
      .when((state) => recordRotation(state, 1))
      .then([exchanged(1)])
    given(founded, exchanged(1))
      .when((state) => recordRotation(state, 1))
      .thenNothing()
    given(founded, exchanged(1))
      .when((state) => recordRotation(state, 3))
      .then([exchanged(3)])
    // A key store that was set back says less than the log.
    given(exchanged(1), exchanged(3))
      .when((state) => recordRotation(state, 2))
      .thenNothing()
    expect(given(founded, mailBegan, exchanged(1), exchanged(2)).state).toEqual({
      founded: true,
      mailStartRevision: 1,
      rotations: 2,
    })
  })
})
