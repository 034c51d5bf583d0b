import { describe, expect, it } from 'vitest'
import { cosigned, witnessedLog, witnessKey } from '#test-support/witnessed-log.ts'
import { signingKeyOf } from './seal-signing.ts'
import { parseCheckpoint } from './tree-checkpoint.ts'
import { parseVerifierKey, verifierKeyText } from './verifier-key.ts'
import { cosignedAt, logKey, WrongSignature } from './witness-cosignature.ts'
import { InvalidPolicy, parseWitnessPolicy, witnessedBy } from './witness-policy.ts'

const log = witnessedLog()
const keys = ['w1', 'w2', 'w3', 'w4'].map((name, n) => witnessKey(`${name}.example`, n + 1))
const [w1, w2, w3, w4] = keys.map((key) => verifierKeyText(key, 'witness'))
const policyOf = (text: string) => parseWitnessPolicy(Buffer.from(text))

/** The checkpoint with the cosignatures of some witnesses, the nth at second 1000 + n. */
async function noteBy(...numbers: readonly number[]): Promise<string> {
  let note = await log.note(200)
  for (const number of numbers) {
    const key = keys[number - 1]
    if (key) note = cosigned(note, key, 1_000 + number)
  }
  return note
}

async function quorumOf(policy: string, ...numbers: readonly number[]): Promise<boolean> {
  return witnessedBy(policyOf(policy), parseCheckpoint(await noteBy(...numbers))).isQuorum
}

const three = `witness a ${w1}\nwitness b ${w2}\nwitness c ${w3}\n`

describe('a witness policy', () => {
  it('says how many witnesses saw a checkpoint, and before when', async () => {
    const policy = policyOf(
      `# Ours.\n\n log ${log.vkeyText} https://portal.example/log\n${three}\tgroup all-three 2 a  b\tc\nquorum all-three\n`,
    )
    expect(witnessedBy(policy, parseCheckpoint(await noteBy(3, 1)))).toEqual({
      seen: 2,
      of: 3,
      before: 1_003_000,
      isQuorum: true,
      isOfLog: true,
    })
    expect(witnessedBy(policy, parseCheckpoint(await noteBy(2)))).toEqual({
      seen: 1,
      of: 3,
      before: 1_002_000,
      isQuorum: false,
      isOfLog: true,
    })
    // That of a witness that it does not know does not count.
    expect(witnessedBy(policy, parseCheckpoint(await noteBy(4)))).toEqual({
      seen: 0,
      of: 3,
      before: null,
      isQuorum: false,
      isOfLog: true,
    })
  })

  it('counts witnesses, groups and groups of groups', async () => {
    const nested = `${three}witness d ${w4}\ngroup x all a b\ngroup y any c d\ngroup both all x y\nquorum both\n`
    expect([await quorumOf(nested, 1, 2, 4), await quorumOf(nested, 1, 3, 4), await quorumOf(nested, 1, 2)]).toEqual([
      true,
      false,
      false,
    ])
    expect([
      await quorumOf(`witness a ${w1}\nquorum a\n`, 1),
      await quorumOf(`witness a ${w1}\nquorum a\n`, 2),
    ]).toEqual([true, false])
    expect(await quorumOf('quorum none\n')).toBe(true)
    // A witness counts once, however often it cosigned.
    expect(await quorumOf(`${three}group g 2 a b c\nquorum g\n`, 1, 1)).toBe(false)
  })

  it('knows whether one of its logs signed', async () => {
    const another = witnessedLog({ key: signingKeyOf(new Uint8Array(32).fill(9)) })
    for (const [policy, note, isOfLog] of [
      [`log ${another.vkeyText}\nquorum none\n`, await log.note(1), false],
      [`log ${another.vkeyText}\nlog ${log.vkeyText}\nquorum none\n`, await log.note(1), true],
      ['quorum none\n', await log.note(1), true],
    ] as const)
      expect(witnessedBy(policyOf(policy), parseCheckpoint(note)).isOfLog).toBe(isOfLog)
  })

  it.each([
    ['nothing', ''],
    ['no quorum', three],
    ['two quorums', `${three}quorum a\nquorum b\n`],
    ['a quorum of something undefined', `${three}quorum d\n`],
    ['a quorum before what it names', `quorum a\n${three}`],
    ['more after a quorum', `${three}quorum a b\n`],
    ['a group before its members', `group g any a\n${three}quorum g\n`],
    ['a group in itself', `${three}group g any g\nquorum g\n`],
    ['a group without members', `${three}group g any\nquorum g\n`],
    ['a member twice', `${three}group g 2 a a\nquorum g\n`],
    ['a member of two groups', `${three}group g any a b\ngroup h any a c\nquorum h\n`],
    ['none as a member', `${three}group g any none\nquorum g\n`],
    ['none as a name', `witness none ${w1}\nquorum none\n`],
    ['a name twice', `witness a ${w1}\nwitness a ${w2}\nquorum a\n`],
    ['a name of a witness and a group', `${three}group a any b\nquorum a\n`],
    ['more than all members', `${three}group g 4 a b c\nquorum g\n`],
    ['none of the members', `${three}group g 0 a b c\nquorum g\n`],
    ['a number with a zero before it', `${three}group g 02 a b c\nquorum g\n`],
    ['a key twice under two names', `witness a ${w1}\nwitness b ${w1}\nquorum a\n`],
    ['a log twice', `log ${log.vkeyText}\nlog ${log.vkeyText}\nquorum none\n`],
    ["a witness's key as a log's", `log ${w1}\nquorum none\n`],
    ["a log's key as a witness's", `witness a ${log.vkeyText}\nquorum a\n`],
    ['a witness without a key', 'witness a\nquorum a\n'],
    ['a key that is not one', 'witness a w1.example\nquorum a\n'],
    ['an address that is not one', `witness a ${w1} w1.example\nquorum a\n`],
    ['an address with a name and a password', `witness a ${w1} https://u:p@w1.example\nquorum a\n`],
    ['too much in a line', `witness a ${w1} https://w1.example/ more\nquorum a\n`],
    ['an unknown keyword', `${three}Quorum a\n`],
    ['the name of a property of every object', `${three}constructor a\nquorum a\n`],
    ['no line break at its end', `${three}quorum a`],
    ['carriage returns', `quorum none\r\n`],
    ['a NUL', 'quorum none\n\0\n'],
    ['a byte order mark', '\ufeffquorum none\n'],
  ])('is refused with %s', (_, text) => {
    expect(() => policyOf(text)).toThrow(InvalidPolicy)
  })

  it('names the line that is invalid', () => {
    expect(() => policyOf(`${three}group g 4 a b c\nquorum g\n`)).toThrow('Line 4 is invalid: 4 of 3 is not possible')
    expect(() => parseWitnessPolicy(Buffer.from([0x23, 0xff, 0x0a]))).toThrow('It is not UTF-8')
  })

  it('may have 32 witnesses and more', async () => {
    const many = Array.from({ length: 40 }, (_, n) => witnessKey(`many${n}.example`, n + 10))
    const lines = many.map((key, n) => `witness m${n} ${verifierKeyText(key, 'witness')}\n`).join('')
    const note = many.reduce((text, key) => cosigned(text, key, 5), await log.note(200))
    expect(
      witnessedBy(
        policyOf(`${lines}group g all ${many.map((_key, n) => `m${n}`).join(' ')}\nquorum g\n`),
        parseCheckpoint(note),
      ).isQuorum,
    ).toBe(true)
  })
})

describe('a cosignature', () => {
  it('is refused with any character of its signature or of the checkpoint changed', async () => {
    const [key] = keys
    if (!key) throw new Error('There is no key')
    const note = await noteBy(1)
    expect(cosignedAt(parseCheckpoint(note), key)).toBe(1_001)
    for (let at = 0; at < note.length; at++)
      for (const character of ['A', '1']) {
        if (note[at] === character) continue
        const edited = note.slice(0, at) + character + note.slice(at + 1)
        const time = (() => {
          try {
            return cosignedAt(parseCheckpoint(edited), key)
          } catch {
            return undefined
          }
        })()
        // The signature of the log is not its business.
        if (at < note.indexOf('\u2014') || at > note.lastIndexOf('\u2014'))
          expect([edited, time]).toEqual([edited, undefined])
      }
  })

  it('is of one checkpoint, one time and one key', async () => {
    const [key, other] = keys
    if (!key || !other) throw new Error('There is no key')
    const line = (await noteBy(1)).split('\n').at(-2) ?? ''
    const elsewhere = await log.note(201)
    expect(() => cosignedAt(parseCheckpoint(`${elsewhere}${line}\n`), key)).toThrow(WrongSignature)
    expect(cosignedAt(parseCheckpoint(`${elsewhere}${line}\n`), other)).toBeUndefined()
    expect(cosignedAt(parseCheckpoint(cosigned(await noteBy(1), key, 900)), key)).toBe(900)
  })
})

describe('a verifier key', () => {
  it('has one form', () => {
    const [text = ''] = [w1]
    expect(verifierKeyText(parseVerifierKey(text, 'witness'), 'witness')).toBe(text)
    const [, name, id, material] = /^([^+]+)\+([^+]+)\+(.+)$/.exec(text) ?? []
    for (const edited of [
      `${name}x+${id}+${material}`,
      `${name}+00000000+${material}`,
      `${name}+${id}+${material}=`,
      `${name}+${id}`,
      `${text} `,
    ])
      expect(() => parseVerifierKey(edited, 'witness'), edited).toThrow(Error)
  })

  it('is written as signed-note says', () => {
    // The example of c2sp.org/signed-note.
    const text = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
    expect(verifierKeyText(logKey('example.com/foo', parseVerifierKey(text, 'log').publicKey), 'log')).toBe(text)
  })
})
