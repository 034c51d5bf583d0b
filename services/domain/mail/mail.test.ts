import { describe, expect, it } from 'vitest'
import { mailAbout, type MailEvent, recordSent } from './mail.ts'
import { givenFacts } from '../../../test-support/given-when-then.ts'

const given = givenFacts(mailAbout)
const mail = { kind: 'UserBanned', stream: 'user-ada00000', revision: 7 }
const sent: MailEvent = { type: 'MailSent', data: mail }

describe('a mail about a fact', () => {
  it('is recorded as sent, once', () => {
    given()
      .when((state) => recordSent(state, mail))
      .then([sent])
    given(sent)
      .when((state) => recordSent(state, mail))
      .thenNothing()
    expect(given().state.sent).toBe(false)
    expect(given(sent).state.sent).toBe(true)
  })
})
