import { expect, it } from 'vitest'
import { assertStrongKey, assertStrongKeys } from './key-strength.ts'

it.each([
  'a'.repeat(32),
  '12345678901234567890123456789012',
  'passwordpasswordpasswordpassword',
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'changeme-changeme-changeme-changeme',
])('refuses the master key %s without repeating it', async (masterKey) => {
  const refusal = assertStrongKeys({ masterKey, adminAccessKey: undefined })
  await expect(refusal).rejects.toThrow(/^MASTER_KEY: is too easy to guess; .*NEW_MASTER_KEY/)
  await expect(refusal).rejects.not.toThrow(masterKey)
})

it.each(['password', 'administrator', 'Acme-2026', 'qwertyuiop', 'aaaaaaaaaaaaaaaaaaaaaaaa'])(
  'refuses the access key %s without repeating it',
  async (key) => {
    const refusal = assertStrongKeys({ adminAccessKey: key, masterKey: undefined })
    await expect(refusal).rejects.toThrow(/^ADMIN_ACCESS_KEY: is too easy to guess/)
    await expect(refusal).rejects.not.toThrow(key)
  },
)

it('accepts random keys, and passphrases of several words', async () => {
  for (const key of [
    'pdk_0Zk9f1vXQqJ8mB2yR7tLwCe5HsUaGdNp4iOoEx3TkMY',
    'f3b0c44298fc1c149afbf4c8996fb924',
    'bicycle marzipan under quarry seven lantern',
  ])
    await assertStrongKeys({ adminAccessKey: key, masterKey: key })
  await assertStrongKeys({ adminAccessKey: undefined, masterKey: undefined })
})

it('asks more of a master key than of an access key', async () => {
  const key = 'umbrella-quince-gravel'
  await assertStrongKey('ADMIN_ACCESS_KEY', key)
  await expect(assertStrongKey('MASTER_KEY', key)).rejects.toThrow('MASTER_KEY: ')
})
