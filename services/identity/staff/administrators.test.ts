import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adminKeyId } from '#services/framework/ids.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { givenEvents } from '#test-support/given-when-then.ts'
import {
  type Administrators,
  administratorsDecider,
  type AdministratorsEvent,
  joinAdministrators,
  leaveAdministrators,
  type Removal,
} from './administrators.ts'

const given = givenEvents(administratorsDecider)
const [dana, erin] = [adminKeyId.parse('dana'), adminKeyId.parse('erin')]

const joined = (member = dana, since = 0): AdministratorsEvent => ({
  type: 'AdministratorJoined',
  data: { member, since },
})
const revocation = (member = dana, since = 0): Removal => ({ member, since, changes: null, newKey: null })
const left = (removal: Removal): AdministratorsEvent => ({ type: 'AdministratorLeft', data: removal })
const join =
  (since = 0) =>
  (all: Administrators) =>
    joinAdministrators(all, dana, since)
const leave =
  (removal: Removal, mustRemain = true) =>
  (all: Administrators) =>
    leaveAdministrators(all, removal, mustRemain)

const LAST = 'This is the last administrator whose key does not expire. Give another administrator such a key first.'

describe('joining the administrators', () => {
  it('is recorded once', () => {
    given().when(join()).then([joined()])
    given(joined()).when(join()).thenNothing()
  })

  it('changes nothing while a removal is on its way to the stream of the member, or done', () => {
    given(joined(), joined(erin), left(revocation())).when(join()).thenNothing()
    // The removal was decided before the member had joined.
    given(joined(erin), left(revocation(dana, 3)))
      .when(join(3))
      .thenNothing()
    given(joined(erin), left(revocation(dana, 3)))
      .when(join(1))
      .thenNothing()
  })

  it('is possible again for a member who became an administrator again', () => {
    given(joined(), joined(erin), left(revocation()))
      .when(join(2))
      .then([joined(dana, 2)])
  })
})

describe('leaving the administrators', () => {
  const asSupport: Removal = { ...revocation(), changes: { role: 'support' } }

  it('records what was decided about the member, once', () => {
    given(joined(), joined(erin))
      .when(leave(asSupport))
      .then([left(asSupport)])
    given(joined(), joined(erin), left(asSupport)).when(leave(revocation())).thenNothing()
  })

  it('is refused when no other remains', () => {
    given(joined()).when(leave(revocation())).thenRefused('conflict', LAST)
    given(joined(), joined(erin), left(revocation(erin)))
      .when(leave(asSupport))
      .thenRefused('conflict', LAST)
    given().when(leave(revocation())).thenRefused('conflict', LAST)
  })

  it('is possible for the last one where none must remain', () => {
    given(joined())
      .when(leave(revocation(), false))
      .then([left(revocation())])
  })

  it('is possible for a member who has not joined yet', () => {
    given(joined(erin))
      .when(leave(revocation()))
      .then([left(revocation())])
  })

  it('is possible again after joining again, and nothing after an older removal', () => {
    const again = [joined(), joined(erin), left(revocation()), joined(dana, 2)]
    given(...again)
      .when(leave(revocation(dana, 2)))
      .then([left(revocation(dana, 2))])
    given(...again)
      .when(leave(revocation(dana, 0)))
      .thenNothing()
  })
})

it('keeps one after anyone joins and leaves', () => {
  const step = fc.record({
    member: fc.constantFrom(dana, erin, adminKeyId.parse('kim')),
    joins: fc.boolean(),
    since: fc.nat({ max: 5 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const events = [joined()]
      for (const { member, joins, since } of steps) {
        const { state } = given(...events)
        try {
          events.push(
            ...(joins
              ? joinAdministrators(state, member, since)
              : leaveAdministrators(state, revocation(member, since), true)),
          )
        } catch (error) {
          if (!(error instanceof Refused)) throw error
        }
      }
      expect(given(...events).state.present.size).toBeGreaterThan(0)
    }),
  )
})
