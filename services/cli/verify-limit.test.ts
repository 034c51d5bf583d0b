import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { endlessExport } from '#test-support/endless-export.ts'
import { exportedAccount } from '#test-support/exported-account.ts'
import { buildProgram, runProgram, temporaryFolder } from '#test-support/program.ts'

beforeAll(buildProgram, 300_000)

function saved(content: string): string {
  const file = join(temporaryFolder(), 'export.json')
  writeFileSync(file, content)
  return file
}

it('ends the check of a signed file that takes too long, with a sentence and an exit code of its own', async () => {
  const content = await endlessExport(20_000)
  expect(content.length).toBeGreaterThan(2_900_000)
  const { code, stdout, stderr } = await runProgram(['verify', saved(content)], {})
  expect([code, stdout, stderr]).toEqual([
    3,
    expect.stringMatching(/^Not checked to the end: after 4 s, .* ask the firm for the original\. .* --no-limit\n$/),
    '',
  ])
}, 300_000)

it('checks a file of a stranger that is none, and one by the portal, in the same way', async () => {
  const noEntries = `{"format":"proofdesk export 4","events":[${'{},'.repeat(1_000_000)}{}]}`
  expect(await runProgram(['verify', saved(noEntries)], {})).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^Altered: /),
  })
  const firm = await exportedAccount()
  await firm.close()
  for (const more of [[], ['--no-limit']])
    expect(await runProgram(['verify', saved(firm.files.trader), ...more], {})).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Genuine: /),
    })
}, 300_000)
