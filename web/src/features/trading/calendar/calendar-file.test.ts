import { describe, expect, it } from 'vitest'
import { entriesIn } from './calendar-file.ts'

const entry = { id: 'a', at: '2026-11-04T19:00:00Z', currency: 'USD', impact: 'high', title: 'Rate decision' }

describe('a file of news', () => {
  it('is read as lines and as a list, with or without the mark of UTF-8', () => {
    for (const text of [
      `${JSON.stringify(entry)}\r\n\n${JSON.stringify({ ...entry, publishedAt: '2026-11-01T00:00:00Z' })}\n`,
      `\ufeff${JSON.stringify([entry, entry])}`,
    ])
      expect(entriesIn(text)).toEqual({ entries: [entry, entry], fault: null })
  })

  it('is read as Forex Factory writes it', () => {
    const week = [
      {
        title: 'CPI m/m',
        country: 'USD',
        date: '2026-11-04T08:30:00-05:00',
        impact: 'High',
        forecast: '',
        previous: '',
      },
      { title: 'Bank Holiday', country: 'JPY', date: '2026-11-03T00:00:00-05:00', impact: 'Holiday' },
    ]
    expect(entriesIn(JSON.stringify(week)).entries).toEqual([
      { at: '2026-11-04T08:30:00-05:00', currency: 'USD', impact: 'high', title: 'CPI m/m' },
      { at: '2026-11-03T00:00:00-05:00', currency: 'JPY', impact: 'holiday', title: 'Bank Holiday' },
    ])
  })

  it('is refused by its place where it is none', () => {
    expect(entriesIn(' \n').fault).toBe('This file is empty')
    expect(entriesIn('[1, 2').fault).toBe('This file is no list that can be read as JSON')
    expect(entriesIn(`${JSON.stringify(entry)}\nTitle;Country`).fault).toBe('Line 2 of this file is no JSON object')
  })
})
