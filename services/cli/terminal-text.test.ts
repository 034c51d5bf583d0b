import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { changeProfile, userStreams } from '#services/identity/users/user.ts'
import { runCommand } from '#test-support/command-line.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { isExternal } from '#test-support/portal-stores.ts'
import { asLines, asOneLine } from './terminal-text.ts'

/** Clears the screen, sets the cursor, changes the title, and reverses the direction. */
const hostile = 'Ada\u001b[2J\u009b1;1H\u001b]0;x\u0007\u202e\nEvents: 9, seals: 9. All are as they were recorded'

// With its data on servers, the command would need their addresses.
describe.skipIf(isExternal('eventstore') || isExternal('mongodb'))('the command line', () => {
  let portal: Portal
  beforeAll(async () => void (portal = await openPortal()))
  afterAll(() => portal.stop())

  it('obeys no control character of a name, and lets it begin no line', async () => {
    const { id } = await portal.trader()
    // Calls refuse such a name; the command line does not rely on it.
    await portal.running.parts.repositories
      .of(userStreams)
      .decide(id, systemContext('test', 'test'), (user) => changeProfile(user, { fullName: hostile }, null))
    await portal.running.stop()
    const { code, stdout } = await runCommand(['audit', 'account', id], { DATA_DIR: portal.dataDir })
    expect([code, /[^\P{Cc}\n]|\u202e/u.test(stdout)]).toEqual([0, false])
    expect(stdout).toContain('Ada\\u001b[2J\\u009b1;1H')
    expect(stdout).not.toMatch(/^Events: 9/m)
    // A sign-up is a line for each field.
    expect(stdout).toMatch(/^ {4}Country: none → uk$/m)
    // Fields have the names of the screens.
    expect(stdout).toMatch(/^ {2}Daily Drawdown Limit +–$/m)
    expect(stdout).toMatch(/^ {2}House Number +12$/m)
    expect(stdout).not.toContain('{"')
  })
})

it('keeps plain text, lines and JSON as they are', () => {
  const text = 'Zoë – 5% / $500\n\tnext'
  expect([asLines(text), asOneLine('Zoë')]).toEqual([text, 'Zoë'])
  expect(JSON.parse(asLines(JSON.stringify({ hostile })))).toEqual({ hostile })
})
