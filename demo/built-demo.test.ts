import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadedWith } from '#test-support/built-imports.ts'
import { browser } from '#test-support/http-client.ts'
import { buildProgram, startProgram, temporaryFolder } from '#test-support/program.ts'
import { demoKeys } from './demo-firm.ts'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist/services')
const sourceMap = z.object({ sources: z.array(z.string()) })

/** Our own sources in these files of the build. */
function sourcesOf(files: Iterable<string>): string[] {
  const maps = [...files]
    .filter((file) => file !== 'rolldown-runtime.js')
    .map((file) => sourceMap.parse(JSON.parse(readFileSync(join(built, `${file}.map`), 'utf8'))))
  return maps.flatMap(({ sources }) => sources).map((source) => relative(root, resolve(built, source)))
}

describe('the built program', () => {
  beforeAll(buildProgram)

  it('loads nothing of the demo before its command runs', () => {
    const sources = sourcesOf(loadedWith(built, 'cli.js', loadedWith(built, 'installation-commands.js')))
    expect(sources).toEqual(
      expect.arrayContaining([
        'services/cli/cli.ts',
        'services/cli/command-line.ts',
        'services/cli/server.ts',
        'services/identity/users/user.ts',
      ]),
    )
    expect(sources.filter((source) => source.startsWith('demo/'))).toEqual([])
    expect(sourcesOf(['demo.js'])).toEqual(expect.arrayContaining(['demo/demo.ts', 'demo/demo-firm.ts']))
  })

  it('loads no server to apply the rules of a programme', () => {
    const sources = sourcesOf(loadedWith(built, 'cli.js'))
    expect(sources).toContain('services/rules/engine.ts')
    expect(
      sources.filter((source) =>
        /^services\/(identity|programmes|trading|payments|operations|oversight|portal|command|query|worker|framework\/http|cli\/server)/.test(
          source,
        ),
      ),
    ).toEqual([])
  })

  it('starts the demo', async () => {
    const { url } = await startProgram({ command: 'demo', dataDir: join(temporaryFolder(), 'firm') })
    expect((await browser(url).post('/api/admin/login', { accessKey: demoKeys[0]?.accessKey })).body).toMatchObject({
      role: 'admin',
    })
  })
})
