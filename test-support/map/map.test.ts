import { describe, expect, it } from 'vitest'
import { definitions } from '#services/oversight/event-catalogue.ts'
import { eventOrigins, portalMap } from './map.ts'

const origins = eventOrigins()

/** The names of what records an event. */
const recordersOf = (type: string) => origins.flatMap(({ by, events }) => (events.includes(type) ? [by] : []))

describe('docs/map.md', () => {
  it('is what the lists and the code say: `npm run map` writes it again', async () => {
    await expect(portalMap()).toMatchFileSnapshot('../../docs/map.md')
  })

  it('says of every event what records it', () => {
    expect(Object.keys(definitions).filter((type) => recordersOf(type).length === 0)).toEqual([])
  })

  it('follows the code of calls, policies, the worker and the command line', () => {
    expect(recordersOf('PayoutWithdrawn')).toEqual(['`withdrawPayout` (trader)'])
    expect(recordersOf('OrderReceived')).toEqual([
      '`enrolUntakenOrder` (enrol-traders)',
      '`enrolByOrder` (program:enrolments)',
    ])
    expect(recordersOf('NextStageAssigned')).toEqual(['policy of enrolments on `StagePassed`'])
    expect(recordersOf('MailSent')).toEqual(['worker: `sendMails`'])
    expect(recordersOf('LogRestored')).toEqual(['`proofdesk restore`'])
  })
})
