import { describe, expect, it } from 'vitest'
import {
  componentName,
  formatErrors,
  formatAge,
  formatBytes,
  formatDeadLetter,
  formatComponents,
  formatProgress,
  formatReaderState,
  formatTimeLeft,
  formatUnsealed,
  formatReaders,
  mailSummary,
} from './system-words.ts'

describe('the texts of the System page', () => {
  it('show progress rounded down, and the remaining time if known', () => {
    expect(formatProgress({ fraction: 0.999, secondsLeft: 1 })).toBe('99%, about 1 s left')
    expect(formatProgress({ fraction: 0, secondsLeft: null })).toBe('0%')
    expect([89, 90, 300, 5_399, 5_400, 36_000].map(formatTimeLeft)).toEqual([
      '89 s',
      '2 min',
      '5 min',
      '90 min',
      '2 h',
      '10 h',
    ])
  })

  it('show ages and sizes', () => {
    expect([-5, 89_000, 90_000, 172_799_000, 172_800_000].map(formatAge)).toEqual([
      '0 s',
      '89 s',
      '2 min',
      '48 h',
      '2 days',
    ])
    expect([0, 12_345_678, 50e9].map(formatBytes)).toEqual(['0.0 kB', '12.3 MB', '50.0 GB'])
  })

  it('name the state of a read model', () => {
    const rebuild = { position: 1, fraction: 0.5, secondsLeft: null }
    expect(formatReaderState({ caughtUp: true, rebuild: null })).toBe('Up to date')
    expect(formatReaderState({ caughtUp: false, rebuild: null })).toBe('Catching up')
    expect(
      (['asked', 'building', 'finishing'] as const).map((state) =>
        formatReaderState({ caughtUp: true, rebuild: { ...rebuild, state } }),
      ),
    ).toEqual(['Rebuild requested', 'Rebuilding', 'Building indexes'])
  })

  it('count components and unsealed events', () => {
    const part = (ready: boolean) => ({ name: 'view store', ready, needed: true })
    expect([[part(true)], [part(true), part(false)], [part(false), part(false)]].map(formatComponents)).toEqual([
      'All 1 available',
      '1 of 2 unavailable',
      '2 of 2 unavailable',
    ])
    expect([0, 1, 999, 1_000].map(formatUnsealed)).toEqual([
      'All events sealed',
      '1 event not sealed yet',
      '999 events not sealed yet',
      'At least 1,000 events not sealed yet',
    ])
  })

  it('name components as people do, and unknown ones as the server does', () => {
    expect(['view store', 'mail queue', 'tape robot'].map(componentName)).toEqual([
      'Read models',
      'Outbox',
      'tape robot',
    ])
  })

  it('count errors since a time of the day', () => {
    expect(formatErrors({ count: 0, since: '2026-03-14T00:00:00.000Z' })).toBe('None since 00:00 UTC')
    expect(formatErrors({ count: 1_200, since: '2026-03-14T14:07:32.000Z' })).toBe('1,200 since 14:07 UTC')
  })

  it('omit the name of the event from its error', () => {
    const event = { type: 'PhaseChanged', stream: 'account-ada', revision: 3 }
    expect(formatDeadLetter({ ...event, error: 'PhaseChanged at account-ada#3: unknown phase' })).toBe('unknown phase')
    expect(formatDeadLetter({ ...event, error: 'there is no document to change' })).toBe(
      'there is no document to change',
    )
  })

  it('say of each part that is well what it is, in one line', () => {
    const rebuild = { state: 'building', position: 1, fraction: 0.5, secondsLeft: null } as const
    expect(formatReaders([{ caughtUp: true, rebuild: null }])).toBe('All 1 up to date')
    expect(
      formatReaders([
        { caughtUp: true, rebuild },
        { caughtUp: false, rebuild: null },
        { caughtUp: true, rebuild: null },
      ]),
    ).toBe('1 of 3 up to date')
    const mail = { folder: null, waiting: 0, sent: 1204, failed: 0, failures: [], retrying: [] }
    expect(mailSummary(mail)).toBe('1,204 sent, none waiting')
    expect(mailSummary({ ...mail, waiting: 2, failed: 3 })).toBe('1,204 sent, 2 waiting, 3 failed')
    expect(mailSummary({ ...mail, folder: '/outbox' })).toContain('nobody gets a mail')
  })
})
