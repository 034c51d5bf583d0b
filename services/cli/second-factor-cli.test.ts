import { Command } from 'commander'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { turnOnAuthenticator, staffFactors } from '#services/identity/second-factors/second-factor.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { AccessKeys } from '#services/identity/staff/server/access-keys.ts'
import { addSecondFactorCommands } from './second-factor-cli.ts'

let portal: Portal

beforeAll(async () => {
  portal = await openPortal()
})
afterAll(() => portal.stop())

it('lets a member of staff who lost the second factor sign in with the access key, and ends the sessions', async () => {
  const { parts } = portal.running
  const { id, accessKey } = await new AccessKeys(parts.repositories, parts.secrets).issue('Dana', 'admin', 'a test')
  const before = portal.browser()
  await before.post('/api/admin/login', { accessKey })
  await parts.repositories
    .of(staffFactors)
    .decide(id, systemContext('a test', 'a test'), (factors) => turnOnAuthenticator(factors, 'JBSWY3DPEHPK3PXP', 1))
  const signIn = async () => (await portal.browser().post('/api/admin/login', { accessKey })).status
  expect(await signIn()).toBe(401)

  const printed: string[] = []
  const run = (...argv: string[]) => {
    const program = new Command().exitOverride()
    addSecondFactorCommands(program, {
      withDecisions: (work) => work(parts),
      print: (line) => void printed.push(line),
    })
    return program.parseAsync(['second-factors', ...argv], { from: 'user' })
  }
  await run('remove', id)
  expect(printed).toEqual([`${id} signs in without a second factor now.`])
  expect((await before.get('/api/admin/stats')).status).toBe(401)
  expect(await signIn()).toBe(200)
  await expect(run('remove', id)).rejects.toThrow(`${id} has no second factor`)
})
