import { isValid } from 'date-fns/isValid'
import { lightFormat } from 'date-fns/lightFormat'
import { parseISO } from 'date-fns/parseISO'
import { expect, it } from 'vitest'
import * as small from '../../verify/date-fns.ts'
import { dateFormats } from './dates.ts'

it('writes dates on the verify page as date-fns does', () => {
  for (const text of ['2026-03-04', '2026-11-30T23:59:09.007Z', '2026-01-02T03:04:05+02:00', 'yesterday', '']) {
    const [date, other] = [small.parseISO(text), parseISO(text)]
    expect([text, date.getTime(), small.isValid(date)]).toEqual([text, other.getTime(), isValid(other)])
    if (!isValid(other)) continue
    for (const format of Object.values(dateFormats)) {
      const named = format.replace('MMM', "'Mar'")
      expect(small.lightFormat(date, named)).toBe(lightFormat(other, named))
    }
  }
})
