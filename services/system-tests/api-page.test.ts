import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPortal, type Portal } from '#test-support/portal.ts'

const run = promisify(execFile)
const hasCurl = spawnSync('curl', ['--version']).status === 0

/** The commands of the session in docs/api.md, each with the line that it prints there, if any. */
async function session(): Promise<{ readonly command: string; readonly printed: string | undefined }[]> {
  const page = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8')
  const [, block = ''] = /A session with `curl`[^`]*`KEY`[^`]*```\n(.*?)```/s.exec(page) ?? []
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', printed] = part.trim().split('\n')
      return { command, printed }
    })
}

/** The names in an answer, without its values. */
function namesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(namesOf)
  if (typeof value !== 'object' || value === null) return 'value'
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, namesOf(part)]))
}

describe.skipIf(!hasCurl)('the session in docs/api.md', () => {
  let portal: Portal
  let folder: string
  beforeAll(async () => {
    ;[portal, folder] = await Promise.all([openPortal(), mkdtemp(join(tmpdir(), 'proofdesk-readme-'))])
    await symlink(portal.dataDir, join(folder, 'data'))
  })
  afterAll(async () => {
    await portal.stop()
    await rm(folder, { recursive: true })
  })

  it('answers what it shows', async () => {
    const commands = await session()
    expect(commands.length).toBeGreaterThan(8)
    for (const { command, printed } of commands) {
      // The file is sealed minutes later, and read by the program itself.
      if (command.startsWith('npx')) continue
      await portal.mailed()
      // A variable that one command sets is there for the next ones.
      const script = `[ -e id ] && ID=$(cat id); ${command.replaceAll('localhost:3000', portal.url)}
        [ -n "$ID" ] && echo "$ID" >id; true`
      const { stdout } = await run('bash', ['-c', script], {
        cwd: folder,
        env: { ...process.env, KEY: portal.adminKey },
      })
      if (/^[[{]/.test(printed ?? '')) {
        const [shown, answered] = [printed, stdout].map((text) => namesOf(JSON.parse(text ?? '')))
        expect(answered, command).toEqual(shown)
      } else expect(stdout.trim(), command).toBe(printed ?? '')
    }
  })
})
