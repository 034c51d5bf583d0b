import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

it('a command whose output is read only in part, as by head, ends without an error', async () => {
  const command = spawn(process.execPath, ['--import', 'tsx', 'services/cli/cli.ts', '--help'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  command.stdout.destroy()
  const [errors, [code]] = await Promise.all([text(command.stderr), once(command, 'exit')])
  expect([errors, code]).toEqual(['', 0])
})
