import { expect, it } from 'vitest'
import { passwordStrength } from './password-strength.ts'

it.each([
  ['aaaaaaaa', 0, 'too easy to guess'],
  ['19900101', 1, 'weak'],
  ['summerday7', 2, 'fair'],
  ['Tr0ub4dor', 3, 'good'],
  ['lovelace and her machine', 4, 'strong'],
])('of %s is level %i, %s', async (password, level, label) => {
  expect(await passwordStrength(password)).toMatchObject({ level, label })
})

it('of a long password is that of its stronger end, and soon known', async () => {
  const blanks = ' '.repeat(40)
  expect(await passwordStrength(blanks + blanks)).toMatchObject({ level: 0, reason: 'it repeats a character' })
  expect(await passwordStrength(`${blanks}quarry marzipan lantern`)).toMatchObject({ level: 4 })
  expect(await passwordStrength(`quarry marzipan lantern${blanks}`)).toMatchObject({ level: 4 })
  const { user } = process.cpuUsage()
  for (let times = 0; times < 10; times++) await passwordStrength('p@ssw0rd4(3!1$057|{'.repeat(5))
  expect((process.cpuUsage().user - user) / 10_000).toBeLessThan(500)
})
