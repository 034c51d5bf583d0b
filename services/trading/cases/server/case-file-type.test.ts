import { describe, expect, it } from 'vitest'
import { saysAnother, shownName, typeOfContent } from './case-file-type.ts'

const bytes = (...parts: readonly (number | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part, 'latin1'))))

describe('a file of a case', () => {
  it('"is known by its content"', () => {
    expect(typeOfContent(bytes('%PDF-1.7\n'))).toBe('application/pdf')
    expect(typeOfContent(bytes(0x89, 'PNG\r\n', 0x1a, '\n'))).toBe('image/png')
    expect(typeOfContent(bytes(0xff, 0xd8, 0xff, 0xe0))).toBe('image/jpeg')
    expect(typeOfContent(bytes('<!DOCTYPE html><html>'))).toBe('text/html')
    expect(typeOfContent(bytes(0xff, 0xfe, Buffer.from('<html>Bericht', 'utf16le').toString('latin1')))).toBe(
      'text/html',
    )
    expect(typeOfContent(bytes('Symbol;Profit\r\nEURUSD;1,00'))).toBe('text/csv')
    // One byte a character: an e with an acute accent in Windows-1252.
    expect(typeOfContent(bytes('Symbol;R', 0xe9, 'sultat'))).toBe('text/csv')
  })

  it('"None of these, empty": is refused', () => {
    for (const none of [bytes(), bytes('  \n'), bytes('PK', 3, 4, 20, 0), bytes('MZ', 0x90, 0, 3), bytes('a', 0, 'b')])
      expect(typeOfContent(none)).toBeUndefined()
  })

  it('"a declared type or an ending that is another of the five": is refused', () => {
    expect(saysAnother('text/csv', 'trades.csv', 'text/csv')).toBe(false)
    expect(saysAnother('text/csv', 'trades.txt', 'application/vnd.ms-excel')).toBe(false)
    expect(saysAnother('text/csv', 'trades.pdf', 'application/octet-stream')).toBe(true)
    expect(saysAnother('text/html', 'a.html', 'image/png')).toBe(true)
    expect(saysAnother('image/jpeg', 'photo.JPG', 'image/jpeg')).toBe(false)
  })

  it('"Names lose paths and what nobody sees"', () => {
    expect(shownName('C:\\Users\\ada\\..\\trades.csv')).toBe('trades.csv')
    expect(shownName('../../etc/passwd')).toBe('passwd')
    expect(shownName('a\u202ecsv.exe\u0000')).toBe('acsv.exe')
    expect(shownName('\u200b')).toBe('file')
    expect(shownName('x'.repeat(500))).toHaveLength(200)
  })
})
