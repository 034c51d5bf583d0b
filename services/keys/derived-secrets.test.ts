import { describe, expect, it } from 'vitest'
import { deriveSecrets, hashToken, hashesEqual } from './derived-secrets.ts'

const secrets = deriveSecrets('the master key of these tests, long enough')

describe('secrets', () => {
  it('are the same for the same master key, so that a restart finds everything again', () => {
    const again = deriveSecrets('the master key of these tests, long enough')
    expect(again.wrappingKey).toEqual(secrets.wrappingKey)
    expect(again.emailHash('ada@example.com')).toBe(secrets.emailHash('ada@example.com'))
    expect(again.accessKeyHash('key')).toBe(secrets.accessKeyHash('key'))
  })

  it('are all others for another master key', () => {
    const other = deriveSecrets('another master key of these tests')
    expect(other.wrappingKey).not.toEqual(secrets.wrappingKey)
    expect(other.emailHash('ada@example.com')).not.toBe(secrets.emailHash('ada@example.com'))
    expect(other.accessKeyHash('key')).not.toBe(secrets.accessKeyHash('key'))
    expect(other.requestDigest('body')).not.toBe(secrets.requestDigest('body'))
    expect(other.deviceMark('ada')).not.toBe(secrets.deviceMark('ada'))
  })

  it('are others for each purpose', () => {
    const made = [
      secrets.emailHash('x'),
      secrets.accessKeyHash('x'),
      secrets.requestDigest('x'),
      Buffer.from(secrets.deviceMark('x'), 'base64url').toString('hex'),
    ]
    expect(new Set(made).size).toBe(made.length)
  })

  it('wrap with a key of 32 bytes', () => expect(secrets.wrappingKey).toHaveLength(32))

  it('take an email for the same whatever its letter case and the blanks around it', () => {
    expect(secrets.emailHash('  Ada@Example.COM ')).toBe(secrets.emailHash('ada@example.com'))
    expect(secrets.emailHash('ada@example.org')).not.toBe(secrets.emailHash('ada@example.com'))
  })

  it('do not tell what was hashed', () => {
    expect(secrets.emailHash('ada@example.com')).toMatch(/^[0-9a-f]{64}$/)
    expect(secrets.emailHash('ada@example.com')).not.toBe(hashToken('ada@example.com'))
  })
})

describe('comparing hashes', () => {
  it('finds the same ones the same, and no others', () => {
    expect(hashesEqual('abc', 'abc')).toBe(true)
    expect(hashesEqual('abc', 'abd')).toBe(false)
    expect(hashesEqual('abc', 'abcd')).toBe(false)
    expect(hashesEqual('', 'a')).toBe(false)
    expect(hashesEqual('', '')).toBe(true)
  })
})
