import { describe, expect, it } from 'vitest'
import { liveTopics } from '#services/modules/event-description.ts'
import { definitions } from '#services/domain/streams.ts'
import { changeOf, type Subject, topicsFor } from './live-topics.ts'

const anna: Subject = { kind: 'trader', id: 'anna0001' }
const ben: Subject = { kind: 'trader', id: 'ben00001' }
const key: Subject = { kind: 'admin', id: 'k1' }

/** The topics an event announces to a subject. */
const topicsAnnounced = (who: Subject, type: string, stream: string) => {
  const change = changeOf({ type, stream })
  return change ? topicsFor(who, change) : []
}

describe('an event', () => {
  it("announces only its own trader's topics", () => {
    expect(topicsAnnounced(anna, 'PayoutApproved', 'account-anna0001')).toEqual(['payouts'])
    expect(topicsAnnounced(anna, 'BalanceChanged', 'account-anna0001')).toEqual(['account'])
    expect(topicsAnnounced(anna, 'CertificateIssued', 'account-anna0001')).toEqual(['certificates'])
    expect(topicsAnnounced(anna, 'UserBanned', 'user-anna0001')).toContain('user')
    expect(topicsAnnounced(ben, 'PayoutApproved', 'account-anna0001')).toEqual([])
  })

  it('announces users and payouts to administrators', () => {
    expect(topicsAnnounced(key, 'PayoutRequested', 'account-anna0001')).toEqual(['payouts'])
    expect(topicsAnnounced(key, 'UserRegistered', 'user-anna0001')).toEqual(['users'])
    expect(topicsAnnounced(key, 'ProfileChanged', 'user-anna0001')).toEqual(['users', 'payouts'])
  })

  it('announces only topics the subject may read', () => {
    for (const type of Object.keys(definitions))
      for (const who of [anna, key]) for (const topic of topicsAnnounced(who, type, 'account-anna0001')) expect(liveTopics[who.kind], type).toContain(topic)
  })
})
