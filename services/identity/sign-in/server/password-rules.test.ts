import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userStreams, rehashPassword } from '#services/identity/users/user.ts'
import { userId } from '#services/framework/ids.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { tokenOf } from '#test-support/mail-links.ts'
import { newEmail, openPortal, type Portal, registration, type Trader } from '#test-support/portal.ts'

let portal: Portal

beforeAll(async () => {
  portal = await openPortal({ realHashes: true })
})
afterAll(async () => portal.stop())

const COMMON = 'This password is too common. Please choose another one'
const OWN = 'A password may not be your name or address. Please choose another one'

const register = (password: string, email = newEmail()) =>
  portal.browser().post('/api/register', { ...registration, email, password })

/** What an answer refuses about a field. */
const refused = (field: string, message: string) => ({ status: 400, body: { message, errors: { [field]: message } } })

const typesOf = async ({ id }: Trader) => (await portal.userEvents(id)).map(({ type }) => type)

describe('a new password', () => {
  it.each(['password', 'Password1', '12345678', 'qwertyuiop', 'iloveyou', 'trustno1', 'Proofdesk', 'proofdesk2026'])(
    'may not be common: %s',
    async (password) => {
      expect(await register(password)).toMatchObject(refused('password', COMMON))
    },
  )

  it.each(['Ada Lovelace', 'lovelace1815!', 'ADA.lovelace', 'adalovelace', 'St James Square 12', '2026-London-2026'])(
    'may not be the name or address of its owner: %s',
    async (password) => {
      expect(await register(password)).toMatchObject(refused('password', OWN))
    },
  )

  it('may not be the email of its owner, whole or before the @', async () => {
    for (const password of ['grace.hopper@example.com', 'Grace.Hopper', 'gracehopper1906'])
      expect(await register(password, 'grace.hopper@example.com')).toMatchObject(refused('password', OWN))
  })

  it.each([
    ['aaaaaaaa', 'it repeats a character'],
    ['        ', 'it repeats a character'],
    ['abcabcabcabc', 'it repeats a few characters'],
    ['abcdefghijkl', 'it is a sequence, like abcd or 4321'],
    ['zxcvbnm,', 'its keys stand in a row'],
    ['a'.repeat(100), 'it repeats a character'],
  ])('may not be guessed in fewer than 10,000 tries: %s', async (password, reason) => {
    const message = `This password is too easy to guess: ${reason}. Please choose another one`
    expect(await register(password)).toMatchObject(refused('password', message))
  })

  it('is refused in the words of the specification first', async () => {
    for (const [password, message] of [
      ['aaaaaaa', 'Password must be at least 8 characters'],
      ['a'.repeat(101), 'Password is too long'],
    ] as const)
      expect(await register(password)).toMatchObject(refused('password', message))
  })

  it.each(['correct horse', 'lovelace and her machine', '19900101', `${'a'.repeat(60)}quarry`, '日本語のパスワード'])(
    'may be anything else of 8 to 100 characters: %s',
    async (password) => {
      expect((await register(password)).status).toBe(201)
    },
  )

  it('is refused in settings alike, and nothing changes', async () => {
    const ada = await portal.trader()
    const change = (newPassword: string) =>
      ada.post('/api/user/change-password', {
        currentPassword: ada.password,
        newPassword,
        confirmPassword: newPassword,
      })
    expect(await change('sunshine1')).toMatchObject(refused('newPassword', COMMON))
    expect(await change('Lovelace!')).toMatchObject(refused('newPassword', OWN))
    expect(await typesOf(ada)).toEqual(['UserRegistered'])
    expect((await ada.get('/api/user')).status).toBe(200)
  })

  it('is refused with a reset link alike, which stays valid', async () => {
    const ada = await portal.trader()
    await ada.post('/api/forgot-password', { email: ada.email })
    const [mail] = await portal.mailsTo(ada.email, 1)
    const reset = (password: string) =>
      portal.browser().post('/api/reset-password', { token: mail && tokenOf(mail), password })
    expect(await reset('letmein1')).toMatchObject(refused('password', COMMON))
    expect(await reset('London 2026')).toMatchObject(refused('password', OWN))
    expect((await reset('a new password')).status).toBe(200)
  })
})

describe('a password hashed with weaker parameters', () => {
  /** A trader whose password was hashed long ago. */
  async function longAgo(): Promise<Trader> {
    const ada = await portal.trader()
    const weak = await hash(ada.password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    const { repositories } = portal.running.parts
    await repositories
      .of(userStreams)
      .decide(userId.parse(ada.id), systemContext('test', 'test'), (user) =>
        rehashPassword(user, user.passwordHash ?? '', weak),
      )
    return ada
  }

  it('is rehashed at the next sign-in, once', async () => {
    const ada = await longAgo()
    const login = () => portal.browser().post('/api/login', { email: ada.email, password: ada.password })
    expect((await portal.browser().post('/api/login', { email: ada.email, password: 'wrong horse' })).status).toBe(401)
    expect(await typesOf(ada)).toEqual(['UserRegistered', 'PasswordRehashed'])
    expect((await login()).status).toBe(200)
    expect((await login()).status).toBe(200)
    expect(await typesOf(ada)).toEqual(['UserRegistered', 'PasswordRehashed', 'PasswordRehashed'])
    const rehashed = (await portal.userEvents(ada.id)).at(-1)
    expect(rehashed).toMatchObject({
      data: { passwordHash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) },
      metadata: { actor: { id: ada.id } },
    })
  })

  it('lets every one of several sign-ins at once in, and keeps other sessions', async () => {
    const ada = await longAgo()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        portal.browser().post('/api/login', { email: ada.email, password: ada.password }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect((await typesOf(ada)).filter((type) => type === 'PasswordRehashed')).toHaveLength(2)
    expect((await ada.get('/api/user')).status).toBe(200)
  })
})
