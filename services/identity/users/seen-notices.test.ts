import { expect, it } from 'vitest'
import { givenEvents } from '#test-support/given-when-then.ts'
import { noticeDecider, type NoticeEvent, seeNotices } from './seen-notices.ts'

const given = givenEvents(noticeDecider)
const seen = (upTo: number): NoticeEvent => ({ type: 'NoticesSeen', data: { upTo } })

it('records a look with news once, and a look without news never', () => {
  given()
    .when((state) => seeNotices(state, 42))
    .then([seen(42)])
  for (const upTo of [41, 42])
    given(seen(42))
      .when((state) => seeNotices(state, upTo))
      .thenNothing()
  expect(given(seen(41), seen(42)).state.upTo).toBe(42)
})
