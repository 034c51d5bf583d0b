import { availableParallelism } from 'node:os'
import { hash } from '@node-rs/argon2'
import { expect, it } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { limits } from '#services/framework/http/limits.ts'
import { createPasswordHashing } from './password-hash.ts'

it('refuses a flood of passwords, and checks all that it took', async () => {
  const passwords = createPasswordHashing()
  const right = await passwords.hash('correct horse')
  const most = limits.passwords.waiting + Math.max(1, availableParallelism() - 1)
  const flood = await Promise.allSettled(
    Array.from({ length: most + 25 }, (_, n) =>
      passwords.verify(n === most - 1 ? 'correct horse' : `wrong ${n}`, right),
    ),
  )
  const taken = flood.slice(0, most)
  expect(taken.map((outcome) => outcome.status === 'fulfilled' && outcome.value)).toEqual([
    ...Array<boolean>(most - 1).fill(false),
    true,
  ])
  for (const outcome of flood.slice(most))
    expect(outcome).toEqual({ status: 'rejected', reason: expect.any(Unavailable) })
  expect(await passwords.verify('correct horse', right)).toBe(true)
})

it.each(['Grün-Zürich-2026', 'Ångström café', '한국어 비밀번호'])(
  'takes a password in either Unicode form, however it was typed first: %s',
  async (password) => {
    const cost = { memoryCost: 8, timeCost: 1, parallelism: 1 }
    const passwords = createPasswordHashing(cost)
    const forms = [password.normalize('NFC'), password.normalize('NFD')]
    expect(new Set(forms).size).toBe(2)
    for (const first of forms)
      // The last is a hash of 0.2.0, which hashed what was typed.
      for (const known of [await passwords.hash(first), await hash(first, cost)])
        for (const typed of forms) expect(await passwords.verify(typed, known)).toBe(true)
    expect(await passwords.verify(password.slice(1), await passwords.hash(password))).toBe(false)
  },
)
