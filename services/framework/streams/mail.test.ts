import { describe, expect, it } from 'vitest'
import { mailDecider, type MailEvent, recordDelivery } from './mail.ts'
import { givenEvents } from '#test-support/given-when-then.ts'

const given = givenEvents(mailDecider)
const mail = { kind: 'UserBanned', stream: 'user-ada00000', revision: 7 }
const sent: MailEvent = { type: 'MailSent', data: mail }

describe('a mail about a fact', () => {
  it('is recorded as sent, once', () => {
    given()
      .when((state) => recordDelivery(state, mail))
      .then([sent])
    given(sent)
      .when((state) => recordDelivery(state, mail))
      .thenNothing()
    expect(given().state.sent).toBe(false)
    expect(given(sent).state.sent).toBe(true)
  })
})
