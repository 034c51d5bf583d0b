import { availableParallelism } from 'node:os'
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
