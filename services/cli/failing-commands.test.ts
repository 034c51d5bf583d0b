import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '#test-support/command-line.ts'
import { temporaryFolder } from '#test-support/program.ts'

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

describe('a command that reads an installation', () => {
  it.each([
    ['status'],
    ['poison', 'list'],
    ['poison', 'retry', 'all'],
    ['admin-key', 'list'],
    ['admin-key', 'create', 'Dana'],
    ['mail', 'failed'],
    ['mail', 'retry', '--all'],
    ['rebuild', 'all'],
    ['rebuild', 'payouts'],
    ['audit', 'verify'],
    ['audit', 'account', 'ada@example.com'],
    ['audit', 'export', 'ada@example.com', '--out', 'unwritten.json'],
    ['second-factors', 'remove', 'x'],
    ['seal-key', 'list'],
    ['seal-key', 'rotate'],
    ['master-key', 'rotate'],
    ['backup', 'unwritten-backup'],
    ['migrate', '--to', 'unwritten-copy'],
  ])('refuses a folder that is none, and makes nothing there: %s %s', async (...command) => {
    const dataDir = join(temporaryFolder(), 'tpyo')
    const { code, stdout, stderr } = await runCommand(command, { DATA_DIR: dataDir })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `DATA_DIR: ${dataDir} is no installation. Name the folder of one, or make one there: npx proofdesk start\n`,
    )
    expect(existsSync(dataDir)).toBe(false)
  })

  it('refuses an empty folder, and a copy to servers from one', async () => {
    const dataDir = temporaryFolder()
    expect((await runCommand(['status'], { DATA_DIR: dataDir })).stderr).toContain('is no installation')
    const migrated = await runCommand(['migrate', '--to', 'services'], {
      DATA_DIR: dataDir,
      S3_URL: 'http://a:b@127.0.0.1:9/files',
    })
    expect(migrated.stderr).toContain('is no installation')
  })
})

describe('a command that fails prints one line', () => {
  const folder = () => {
    const path = temporaryFolder()
    mkdirSync(join(path, 'a-folder'))
    writeFileSync(join(path, 'a-file'), 'no export')
    return path
  }

  it.each([
    [['verify', 'missing.json'], /missing\.json: there is no such file or folder$/],
    [['verify', 'a-folder'], /^The file: it is a folder, not a file$/],
    [['verify', 'a-file/below.json'], /below\.json: a part of this path is a file, not a folder$/],
    [['verify', 'a-file', '--policy', 'missing.policy'], /^--policy: .*missing\.policy can't be used: /],
    [['verify', 'missing.json', 'a-file', '--out', 'fraud.json'], /missing\.json: there is no such file or folder$/],
    [['restore', 'missing'], /missing/],
    [['restore', 'a-folder'], /a-folder/],
  ] as const)('%s', async (command, says) => {
    const path = folder()
    const names = new Set([
      'missing.json',
      'a-folder',
      'a-file',
      'a-file/below.json',
      'missing.policy',
      'fork.json',
      'missing',
    ])
    const { code, stdout, stderr } = await runCommand(
      command.map((word) => (names.has(word) ? join(path, word) : word)),
      { DATA_DIR: join(path, 'data') },
    )
    expect(code).toBeGreaterThan(0)
    expect(linesOf(`${stdout}${stderr}`)).toHaveLength(1)
    expect(`${stdout}${stderr}`.trim()).toMatch(says)
    expect(stderr).not.toContain('    at ')
  })
})
