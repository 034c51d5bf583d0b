import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { limits } from './limits.ts'

/** Each limit by its name in the document: 'live.perSession'. For a rule of attempts, the number of attempts. */
function flattened(of: object, prefix = ''): [name: string, value: unknown][] {
  return Object.entries(of).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null) return [[`${prefix}${name}`, value]]
    return 'attempts' in value && 'seconds' in value
      ? [[`${prefix}${name}`, value.attempts]]
      : flattened(value, `${prefix}${name}.`)
  })
}

it('documents every limit in docs/operate.md', () => {
  const document = readFileSync(new URL('../../../docs/operate.md', import.meta.url), 'utf8')
  const section = document.split('\n## ').find((part) => part.startsWith('Limits\n')) ?? ''
  const rows = [...section.matchAll(/^\| .* \| ([\d,]+)[^|]* \| `([\w.]+)` \|$/gm)].map(([, number = '', name]) => [
    name,
    Number(number.replaceAll(',', '')),
  ])
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(flattened(limits)))
})

it('counts guesses per quarter-hour and registrations and changes per hour, as documented', () => {
  const {
    registrationNetwork,
    profilePerson,
    emailPerson,
    payoutPerson,
    sharePerson,
    showPasswordMember,
    firstSignIn,
    untakenOrdersOfKey,
    ...guesses
  } = limits.attempts
  for (const [name, { seconds }] of Object.entries(guesses)) expect([name, seconds]).toEqual([name, 15 * 60])
  expect(firstSignIn.seconds).toBe(24 * 60 * 60)
  for (const { seconds } of [
    registrationNetwork,
    profilePerson,
    emailPerson,
    payoutPerson,
    sharePerson,
    showPasswordMember,
    untakenOrdersOfKey,
  ])
    expect(seconds).toBe(60 * 60)
})
