import { describe, expect, it } from 'vitest'
import { merged } from '#services/framework/subject.ts'

describe('the tables of subjects', () => {
  it('are one table', () => {
    expect(merged('event', [{ PayoutRequested: 1 }, {}, { UserBanned: 2 }])).toEqual({
      PayoutRequested: 1,
      UserBanned: 2,
    })
  })

  it('share no name: the program does not start', () => {
    expect(() => merged('call', [{ payouts: 1 }, { payouts: 2 }])).toThrow('Two subjects declare the call payouts')
  })
})
