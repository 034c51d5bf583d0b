import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadedWith } from '#test-support/built-imports.ts'

/**
 * What pages load until their main content: the JavaScript and CSS that the build names for the app and for the page,
 * as sent (brotli). It is read from the build, so each run gives the same figures.
 */

const root = join(import.meta.dirname, '../..')
const built = join(root, 'dist/web')
const assets = join(built, 'assets')

/** The chunks of each page, and its alarm in kB: 5 % above what is reached. docs/performance.md has the goals. */
const pages = {
  '/auth': { chunks: ['auth-page'], alarm: 191 },
  '/': { chunks: ['trader-layout', 'dashboard-page'], alarm: 201 },
  '/payouts': { chunks: ['trader-layout', 'payouts-page'], alarm: 199 },
  '/admin/users': { chunks: ['staff-layout', 'users-page'], alarm: 201 },
}

const chunkNamed = (name: string) =>
  readdirSync(assets).find((file) => file.startsWith(`${name}-`) && file.endsWith('.js')) ?? `no chunk ${name}`

function sizeOf(file: string): number {
  const path = join(assets, file)
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size
}

/** In bytes. */
function firstLoadOf(chunks: readonly string[]): number {
  const index = readFileSync(join(built, 'index.html'), 'utf8')
  const named = [...index.matchAll(/assets\/([^"]+\.(?:js|css))"/g)].map(([, file = '']) => file)
  const files = new Set(named.filter((file) => file.endsWith('.css')))
  for (const file of [...named.filter((each) => each.endsWith('.js')), ...chunks.map(chunkNamed)])
    loadedWith(assets, file, files)
  return [...files].reduce((sum, file) => sum + sizeOf(file), 0)
}

const sizes = Object.entries(pages).map(([path, { chunks, alarm }]) => ({
  path,
  alarm,
  kB: firstLoadOf(chunks) / 1_000,
}))

describe('the first load', () => {
  it.each(sizes)('of $path is below its alarm', ({ kB, alarm }) => {
    expect(kB).toBeLessThan(alarm)
    // Something was added up.
    expect(kB).toBeGreaterThan(100)
  })

  it('is what the documents say, to 1 kB', () => {
    const table = readFileSync(join(root, 'docs/performance.md'), 'utf8')
    const said = [...table.matchAll(/^\| first load of `(\S+)`, JS and CSS as sent \| [^|]+ \| \D*(\d+) kB/gm)].map(
      ([, path = '', kB]) => [path, Number(kB)] as const,
    )
    expect(said.map(([path]) => path)).toEqual(Object.keys(pages))
    for (const [index, [path, kB]] of said.entries())
      expect(Math.abs((sizes[index]?.kB ?? 0) - kB), path).toBeLessThanOrEqual(1)
    const [, readme] =
      /^\| first load of a signed-in trader, JS and CSS as sent \(brotli\) \| (\d+) kB/m.exec(
        readFileSync(join(root, 'README.md'), 'utf8'),
      ) ?? []
    expect(readme).toBe(String(said.find(([path]) => path === '/')?.[1]))
  })
})
