import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { email } from './email-address.ts'

const schema = email('No address')
const read = (text: string) => schema.safeParse(text).data

/** The pattern of release 0.2.0, which is zod's. */
const BEFORE = new RegExp(z.regexes.email.source)

describe('an email address', () => {
  it.each([
    ['smith&jones@example.com', 'smith&jones@example.com'],
    ["!#$%&'*+-/=?^_`{|}~.x@example.com", "!#$%&'*+-/=?^_`{|}~.x@example.com"],
    ["o'brien'@example.com", "o'brien'@example.com"],
    ['user/dept=sales@example.com', 'user/dept=sales@example.com'],
    ['{curly}@Example.COM', '{curly}@Example.COM'],
    // A-labels pass.
    ['info@xn--bcher-kva.example', 'info@xn--bcher-kva.example'],
    ['info@example.xn--p1ai', 'info@example.xn--p1ai'],
    ['info@xn--e1afmkfd.XN--P1AI', 'info@xn--e1afmkfd.XN--P1AI'],
    // U-labels are converted, the rest stays.
    [' J.Smith@bücher.example ', ' J.Smith@xn--bcher-kva.example'.trim()],
    ['a&b@пример.рф', 'a&b@xn--e1afmkfd.xn--p1ai'],
    ['info@例子。中国', 'info@xn--fsqu00a.xn--fiqs8s'],
    ['info@straße.de', 'info@xn--strae-oqa.de'],
    ['info@ｅｘａｍｐｌｅ.com', 'info@example.com'],
    ['info@MÜNCHEN.Example.de', 'info@xn--mnchen-3ya.example.de'],
  ])('%j is read as %j', (text, address) => {
    expect(read(text)).toBe(address)
  })

  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    '.ada@example.com',
    'ada.@example.com',
    'a..b@example.com',
    'a@b@example.com',
    'ada lovelace@example.com',
    '"ada"@example.com',
    'ada(comment)@example.com',
    'ada,bob@example.com',
    'ada;bob@example.com',
    'ada:bob@example.com',
    'ada<bob>@example.com',
    'ada[1]@example.com',
    'ada\\@example.com',
    'ada@[192.0.2.1]',
    'ada@192.0.2.1',
    'ada@１２７.0.0.1',
    'адa@example.com',
    // Headers of a mail.
    'ada@example.com\r\nBcc: bob@example.com',
    'ada\r\n@example.com',
    'ada@exämple.com\r\nBcc: bob@exämple.com',
    'ada@bücher.example%0d%0aBcc:x',
    // Parts of a URL that are no host.
    'ada@bücher.example/path',
    'ada@bücher.example:25',
    'ada@bücher.example?x=1',
    'ada@bücher.example#x',
    'ada@bob:secret@bücher.example',
    'ada@\u2100ücher.example',
    'ada@bü\u200bcher.example',
    'ada@xn--.рф-',
    `ada@${'ü'.repeat(300)}.de`,
    // 254 characters before the conversion, more after it.
    `${'a'.repeat(240)}@bücher.example`,
  ])('%j is none', (text) => {
    expect(read(text)).toBeUndefined()
  })

  it('is everything that was one before, and has no blank, line break or comma', () => {
    const characters = fc.constantFrom(...'ab@.-_+\'"&,;<>()[]\\ \r\n\t:/?ü。'.split(''))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: characters, maxLength: 20 }).map((text) => `${text}@a.bc`),
          fc.stringMatching(/^[ab.'_+-]{1,5}@[ab-]{1,3}\.[a-c.-]{1,4}$/),
          fc.string({ unit: characters, maxLength: 12 }),
        ),
        (text) => {
          const address = read(text)
          if (BEFORE.test(text)) expect(address).toBe(text)
          if (address !== undefined) expect(address).toMatch(/^[!-~]+$/)
          if (address !== undefined) expect(address).not.toMatch(/[",;:<>()[\]\\]/)
        },
      ),
      { numRuns: 5000 },
    )
  })

  it('is read in time that grows with its length, whatever is sent', () => {
    for (const text of [`${'a.'.repeat(126)}`, `a@${'a-'.repeat(125)}`, `a@${'xn--'.repeat(60)}`, 'ü@'.repeat(120)])
      expect(read(text)).toBeUndefined()
  })
})
