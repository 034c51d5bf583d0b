import { describe, expect, it } from 'vitest'
import { HIDDEN } from '#services/framework/api/text.ts'
import { change, saysSomething } from '#services/framework/event-description.ts'

describe('a change of an entry', () => {
  it.each([
    ['where both values are the same', change('account.phase', 'Phase 1', 'Phase 1'), false],
    ['where there was nothing and is nothing', change('enrolment.accepted', null, null), false],
    ['where something ends', change('account.phase', 'Phase 1', null), true],
    ['of a secret, which may be another one', change('account.masterPassword', HIDDEN, HIDDEN), true],
  ])('%s', (_, given, says) => {
    expect(saysSomething(given)).toBe(says)
  })
})
