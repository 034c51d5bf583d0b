import { describe, expect, it } from 'vitest'
import { deriveSecrets, hashToken, hashesEqual } from './derived-secrets.ts'

const secrets = deriveSecrets('the master key of these tests, long enough')

const dana = { kind: 'admin', id: 'dana', label: 'Dana' }

describe('secrets', () => {
  it('are the same for the same master key', () => {
    const again = deriveSecrets('the master key of these tests, long enough')
    expect(again.wrappingKey).toEqual(secrets.wrappingKey)
    expect(again.emailHash('ada@example.com')).toBe(secrets.emailHash('ada@example.com'))
    expect(again.accessKeyHash('key')).toBe(secrets.accessKeyHash('key'))
  })

  it('all differ for another master key', () => {
    const other = deriveSecrets('another master key of these tests')
    expect(other.wrappingKey).not.toEqual(secrets.wrappingKey)
    expect(other.eventKey).not.toEqual(secrets.eventKey)
    expect(other.emailHash('ada@example.com')).not.toBe(secrets.emailHash('ada@example.com'))
    expect(other.accessKeyHash('key')).not.toBe(secrets.accessKeyHash('key'))
    expect(other.requestDigest('body')).not.toBe(secrets.requestDigest('body'))
    expect(other.shareCodeHash('code')).not.toBe(secrets.shareCodeHash('code'))
    expect(other.actorHash('ada', dana)).not.toBe(secrets.actorHash('ada', dana))
    expect(other.deviceMark('ada')).not.toBe(secrets.deviceMark('ada'))
  })

  it('name members of staff, and nobody else, in the history of a person', () => {
    expect(secrets.actorHash('ada', dana)).toMatch(/^[0-9a-f]{32}$/)
    expect(secrets.actorHash('ada', dana)).not.toBe(secrets.actorHash('ben', dana))
    for (const actor of [
      { kind: 'trader', id: 'ada' },
      { kind: 'system', label: 'worker' },
    ])
      expect(secrets.actorHash('ada', actor)).toBeUndefined()
  })

  it('differ for each purpose', () => {
    const hashes = [
      secrets.emailHash('x'),
      secrets.accessKeyHash('x'),
      secrets.requestDigest('x'),
      secrets.shareCodeHash('x'),
      Buffer.from(secrets.deviceMark('x'), 'base64url').toString('hex'),
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('wrap with a key of 32 bytes', () => expect(secrets.wrappingKey).toHaveLength(32))

  it('ignore letter case and surrounding blanks of an email', () => {
    expect(secrets.emailHash('  Ada@Example.COM ')).toBe(secrets.emailHash('ada@example.com'))
    expect(secrets.emailHash('ada@example.org')).not.toBe(secrets.emailHash('ada@example.com'))
  })

  it('do not reveal the hashed text', () => {
    expect(secrets.emailHash('ada@example.com')).toMatch(/^[0-9a-f]{64}$/)
    expect(secrets.emailHash('ada@example.com')).not.toBe(hashToken('ada@example.com'))
  })
})

describe('comparing hashes', () => {
  it('accepts equal hashes only', () => {
    expect(hashesEqual('abc', 'abc')).toBe(true)
    expect(hashesEqual('abc', 'abd')).toBe(false)
    expect(hashesEqual('abc', 'abcd')).toBe(false)
    expect(hashesEqual('', 'a')).toBe(false)
    expect(hashesEqual('', '')).toBe(true)
  })
})
