import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

/**
 * docs/extend.md has a recipe for a new subject. Its blocks are applied to a copy of the program, which is then checked
 * and tried.
 */

const root = join(import.meta.dirname, '../..')
const copy = mkdtempSync(join(tmpdir(), 'proofdesk-recipe-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

interface Block {
  readonly language: string
  readonly path: string
  readonly content: string
}

const recipe = readFileSync(join(root, 'docs/extend.md'), 'utf8').split('## Add a subject\n')[1] ?? ''
const blocks = [...recipe.matchAll(/^```(\w+) (\S+)\n(.*?)^```$/gms)].map(
  ([, language = '', path = '', content = '']): Block => ({ language, path, content }),
)
const edits = blocks.filter(({ language }) => language === 'diff')

/** The server, the web app and the new test. Other tests are not compiled: the recipe changes none. */
const program = {
  extends: './web/tsconfig.json',
  compilerOptions: { incremental: false },
  include: ['web/src', 'services/cli/server.ts', 'services/trading/callbacks'],
  exclude: ['web/**/*.test.*'],
}

/** Inserts the lines that a block adds after the line before them. */
function edited(text: string, { path, content }: Block): string {
  return content
    .split(/^@@\n/m)
    .filter((hunk) => hunk !== '')
    .reduce((result, hunk) => {
      const lines = hunk.trimEnd().split('\n')
      const before = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1))
      const after = lines.map((line) => line.slice(1))
      expect(result.split(before.join('\n')), `${path} has these lines once: ${before.join(' / ')}`).toHaveLength(2)
      return result.replace(before.join('\n'), () => after.join('\n'))
    }, text)
}

/** The output of a failing command says why it failed. */
function run(command: string, ...args: string[]): void {
  try {
    execFileSync(join(root, 'node_modules/.bin', command), args, {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' },
    })
  } catch (error) {
    throw new Error(String(Reflect.get(Object(error), 'stdout')), { cause: error })
  }
}

describe('the recipe for a subject', () => {
  it('changes five existing files', () => {
    expect(edits.map(({ path }) => path)).toEqual([
      'services/oversight/event-catalogue.ts',
      'services/portal/modules.ts',
      'services/identity/staff/permissions.ts',
      'docs/operate.md',
      'web/src/features/menu/staff-layout.tsx',
    ])
    expect(blocks.length).toBeGreaterThan(12)
  })

  it('makes a program that passes the compiler and does what its test asks', () => {
    for (const path of [
      'services',
      'infra',
      'web',
      'demo',
      'bench',
      'test-support',
      'docs',
      'package.json',
      'tsconfig.json',
      'vitest.config.ts',
      'vite.config.ts',
    ])
      cpSync(join(root, path), join(copy, path), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    for (const block of blocks) {
      const file = join(copy, block.path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, block.language === 'diff' ? edited(readFileSync(file, 'utf8'), block) : block.content)
    }
    execFileSync(join(root, 'node_modules/.bin/tsr'), ['generate'], { cwd: join(copy, 'web') })
    writeFileSync(join(copy, 'tsconfig.recipe.json'), JSON.stringify(program))
    run('tsc', '-p', 'tsconfig.recipe.json')
    run('vitest', 'run', '--project', 'services', 'services/trading/callbacks')
  }, 400_000)
})
