import { expect, it } from 'vitest'
import { mapping, mappingFaults } from './mapping-api.ts'
import { statementZone } from '#services/trading/statements/statement-zone-vocabulary.ts'
import { timeReader } from './server/mapped-values.ts'

it.each([
  ['UTC', { place: 'UTC', hours: 0 }],
  ['Europe/Prague', { place: 'Europe/Prague', hours: 0 }],
  ['Etc/GMT-2', { place: 'Etc/GMT-2', hours: 0 }],
  ['America/New_York+7', { place: 'America/New_York', hours: 7 }],
  ['America/Port-au-Prince-3', { place: 'America/Port-au-Prince', hours: -3 }],
  ['America/Argentina/Salta+14', { place: 'America/Argentina/Salta', hours: 14 }],
])('%s is a zone', (text, zone) => expect(statementZone(text)).toEqual(zone))

it.each([
  ['EST', /"America\/New_York"$/],
  ['edt', /"America\/New_York"$/],
  ['UTC+2', /"Etc\/GMT-2", or "America\/New_York\+7"/],
  ['GMT+3', /"Etc\/GMT-3", or "America\/New_York\+7"/],
  ['+02:00', /"Etc\/GMT-2", or "America\/New_York\+7"/],
  ['UTC+1', /"Etc\/GMT-1"$/],
  ['UTC-5', /"Etc\/GMT\+5"$/],
  ['-05:00', /"Etc\/GMT\+5"$/],
  ['+00:00', /"UTC"$/],
  ['Prague', /"Europe\/Prague"/],
  ['CET', /"Europe\/Prague"/],
  ['Europe/Prag', /"Europe\/Prague"/],
  ['America/New_York+15', /"Europe\/Prague"/],
  ['Etc/GMT-2+1', /"Europe\/Prague"/],
  ['America/New_York+7.5', /"Europe\/Prague"/],
])('%s is refused with what to write instead', (text, advice) => {
  expect(statementZone(text)).toMatch(/^expected a time zone like /)
  expect(statementZone(text)).toMatch(advice)
})

it('takes a server on New York close through the weeks in which Europe and New York change their clocks apart', () => {
  const read = timeReader('YYYY.MM.DD HH:mm:ss', 'America/New_York+7')
  // Winter, New York's summer before Europe's, summer, New York's summer after Europe's, winter.
  expect(
    [
      '2026.02.10 09:30:00',
      '2026.03.16 09:30:00',
      '2026.07.01 09:30:00',
      '2026.10.28 09:30:00',
      '2026.11.02 09:30:00',
    ].map((cell) => read(cell)),
  ).toEqual([
    { instant: '2026-02-10T07:30:00.000Z' },
    { instant: '2026-03-16T06:30:00.000Z' },
    { instant: '2026-07-01T06:30:00.000Z' },
    { instant: '2026-10-28T06:30:00.000Z' },
    { instant: '2026-11-02T07:30:00.000Z' },
  ])
})

it('refuses in a mapping what it does not take, and reads what 0.2.0 recorded', () => {
  const columns = { at: 'a', id: 'i', openedAt: 'o', profit: 'p', volume: 'v' }
  const of = (zone: string) => mapping.safeParse({ delimiter: ',', dates: 'YYYY-MM-DD HH:mm', zone, columns })
  const recorded = of('CET').data
  expect(recorded?.zone).toBe('CET')
  expect(recorded && mappingFaults(recorded, 'trades', true).get('zone')).toMatch(/"Europe\/Prague"/)
  expect(of('America/New_York+7').data?.zone).toBe('America/New_York+7')
  expect(of('UTC+2').error?.issues[0]?.message).toMatch(/"Etc\/GMT-2"/)
})
