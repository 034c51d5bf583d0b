import { describe, expect, it } from 'vitest'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { adminKeyStreams } from '#services/identity/staff/access-key.ts'
import { administrators } from '#services/identity/staff/administrators.ts'
import { definitions, personIdOf, subjects, userIdOf } from '#services/oversight/event-catalogue.ts'
import { emailClaims } from '#services/identity/users/email-claim.ts'
import { installationStreams } from '#services/framework/streams/installation.ts'
import { mailStreams } from '#services/framework/streams/mail.ts'
import { noticeStreams } from '#services/identity/users/seen-notices.ts'
import { parseStreamName, streamName } from '#services/event-sourcing/aggregate-type.ts'
import { sealStreams } from '#services/proof/seal.ts'
import { staffFactors, userFactors } from '#services/identity/second-factors/second-factor.ts'
import { destinationStreams } from '#services/payments/destinations/saved-destination.ts'
import { userStreams } from '#services/identity/users/user.ts'

const kinds = Object.values(subjects).flatMap(({ aggregates }) => aggregates)

describe('streams', () => {
  it('are those of every subject', () => {
    expect(kinds).toEqual(
      expect.arrayContaining([
        userStreams,
        accountStreams,
        adminKeyStreams,
        administrators,
        emailClaims,
        installationStreams,
        mailStreams,
        noticeStreams,
        sealStreams,
        userFactors,
        destinationStreams,
        staffFactors,
      ]),
    )
  })

  it('are named so that the name can be read again', () => {
    for (const kind of kinds)
      expect(parseStreamName(streamName(kind, 'a-b1'))).toEqual({ category: kind.category, id: 'a-b1' })
    expect(parseStreamName('nameless')).toEqual({ category: 'nameless', id: '' })
  })

  it('are about a person when they hold a user, an account or second factors, and about no one else', () => {
    for (const stream of ['user-ada00000', 'account-ada00000-a1', 'factors-ada00000']) {
      expect(personIdOf(stream)).toBe('ada00000')
      expect(userIdOf(stream)).toBe('ada00000')
    }
    // A member of staff has a key, but is no user.
    expect(personIdOf('stafffactors-ada00000')).toBe('ada00000')
    expect(userIdOf('stafffactors-ada00000')).toBeUndefined()
    for (const stream of [
      'admin-ada00000',
      'email-ada00000',
      'installation-this',
      'mail-ada00000',
      'users-ada00000',
      'user',
      '',
      'xuser-ada00000',
    ])
      expect(personIdOf(stream)).toBeUndefined()
  })

  it('share no category and no event type', () => {
    expect(new Set(kinds.map(({ category }) => category)).size).toBe(kinds.length)
    // Traders and staff have the same second factors.
    const types = kinds.filter((kind) => kind !== staffFactors).flatMap((kind) => Object.keys(kind.definitions))
    expect(new Set(types).size).toBe(types.length)
    expect(Object.keys(definitions).toSorted()).toEqual(types.toSorted())
  })

  it('hold personal fields only when they are about a person, who has a key', () => {
    for (const { person, definitions: own } of kinds)
      for (const { personal } of Object.values(own)) if (personal.size > 0) expect(person).not.toBeNull()
  })
})
