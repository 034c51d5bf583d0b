import { describe, expect, it } from 'vitest'
import { checkEventStoreDbAddress } from './event-store/eventstoredb-address.ts'
import { parseSmtpServer } from './mail-transport/smtp-address.ts'
import { checkMongodbAddress } from './mongodb/mongodb-address.ts'
import { checkRedisAddress } from './redis/redis-address.ts'

const kinds = {
  redis: checkRedisAddress,
  mongodb: checkMongodbAddress,
  esdb: checkEventStoreDbAddress,
  smtp: parseSmtpServer,
} satisfies Readonly<Record<string, (text: string) => unknown>>

const refusalOf = (parse: (text: string) => unknown, text: string): string => {
  try {
    return `accepted: ${JSON.stringify(parse(text))}`
  } catch (error) {
    return error instanceof TypeError ? error.message : `unexpected: ${String(error)}`
  }
}

describe.each(Object.entries(kinds))('the address of a server, %s', (protocol, parse) => {
  it.each([
    `${protocol}://user:hush%zz@host.example`,
    `${protocol}://user:hush%@host.example`,
    `${protocol}://user:hush%E4@host.example`,
    `${protocol}://user:hush#1@host.example`,
    `${protocol}://user:hush?1@host.example`,
    `${protocol}://user:hush/1@host.example`,
    // Read loosely, the password would be a host.
    `${protocol}://hush#1@host.example`,
    `${protocol}://hush?1@host.example`,
    `${protocol}://hush/1@host.example`,
    `${protocol}://user:hush@host.example:99999`,
    `${protocol}://user:hush@host.example:0x50`,
    `${protocol}://user:hush@`,
    `${protocol}://user:hush@host.example?nosuch=1`,
    `http://user:hush@host.example`,
    `${protocol}:user:hush@host.example`,
  ])('is refused without repeating the password: %s', (text) => {
    const refusal = refusalOf(parse, text)
    expect(refusal).toMatch(/^(must|has|can't) /)
    expect(refusal).not.toContain('hush')
    expect(refusal).not.toContain('\n')
  })

  it.each([
    `${protocol}://host.example`,
    `${protocol}://user%40firm:p%25%2F%23%3F%3A@host.example:1234`,
    `${protocol}://user@127.0.0.1`,
  ])('is read: %s', (text) => expect(refusalOf(parse, text)).toMatch(/^accepted/))
})

it('takes IPv6 addresses in brackets, and several hosts of a cluster', () => {
  expect(refusalOf(checkRedisAddress, 'redis://:p@[::1]:6379/2')).toMatch(/^accepted/)
  expect(refusalOf(checkMongodbAddress, 'mongodb://a:1,b:2/x?replicaSet=r')).toMatch(/^accepted/)
  expect(refusalOf(checkEventStoreDbAddress, 'esdb://a:1,b:2,c:3?tls=true&NodePreference=leader')).toMatch(/^accepted/)
  expect(parseSmtpServer('smtps://[2001:db8::1]')).toMatchObject({ host: '2001:db8::1', port: 465 })
})

describe('the address of a mail server', () => {
  it.each([
    ['smtp://host', 'offered', 587],
    ['smtps://host', 'implicit', 465],
    ['smtp://host?secure=true', 'implicit', 465],
    ['smtp://host:25?requireTLS=true', 'required', 25],
    ['smtp://host/?RequireTls=true', 'required', 587],
    ['smtps://host?requireTLS=true', 'implicit', 465],
    ['smtp://host?ignoreTLS=true', 'never', 587],
  ])('%s: TLS is %s, on port %i', (text, encryption, port) => {
    expect(parseSmtpServer(text)).toMatchObject({ host: 'host', encryption, port })
  })

  it.each([
    ['smtp://host?requireTLS=yes', /requireTLS as true or false/],
    ['smtp://host?requireTLS=true&requireTLS=false', /twice/],
    ['smtp://host?requireTLS=true&ignoreTLS=true', /both/],
    ['smtps://host?ignoreTLS=true', /both/],
    ['smtps://host?secure=false', /both/],
    ['smtp://host?tls.rejectUnauthorized=false', /no parameter tls\.rejectUnauthorized, only requireTLS/],
    ['smtp://host?name=a%20b', /a name like/],
    ['smtp://host/inbox', /no path/],
  ])('%s is refused: nothing that it asks for is ignored', (text, refusal) => {
    expect(refusalOf(parseSmtpServer, text)).toMatch(refusal)
  })
})
