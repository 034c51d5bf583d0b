import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What only some pages need: titles and fields of all events, for the histories, come with what records them. */
const placesThatNeedIt = [
  'web/src/features/oversight/audit/audit-queries.ts',
  'web/src/features/oversight/audit/day-groups.ts',
  'web/src/features/oversight/audit/filters.tsx',
  'web/src/features/oversight/audit/state-sections.ts',
  'web/src/features/oversight/audit/words.ts',
]

/** What a file imports for more than its types: files by their path from the root, packages by their name. */
function importsOf(file: string): string[] {
  const code = readFileSync(join(root, file), 'utf8')
  const statements = code.matchAll(/^(?:import|export)\s+(?!type\b)(?:([^'";]*?)\s+from\s+)?'([^']+)'/gm)
  return [...statements].flatMap(([, names = '', from = '']) => {
    const isOnlyTypes = /^\{(?:\s*type [^,}]+,?)+\s*\}$/.test(names)
    return isOnlyTypes ? [] : [resolved(file, from)]
  })
}

function resolved(file: string, from: string): string {
  if (from.startsWith('.')) return relative(root, join(root, dirname(file), from))
  return from.replace(/^#/, '').replace(/^@\//, 'web/src/')
}

const isDecider = (file: string) => /\bDecider</.test(readFileSync(join(root, file), 'utf8'))
const isHeavy = (name: string) =>
  ['immutable', 'temporal-polyfill', 'services/rules/engine.ts'].includes(name) ||
  (name.startsWith('services/') && isDecider(name))

/** The ways from a file to what is heavy, each as the files on it. */
function waysToHeavy(from: string): string[][] {
  const ways = new Map([[from, [from]]])
  for (const [file, way] of ways)
    if (existsSync(join(root, file)) && /\.tsx?$/.test(file))
      for (const next of importsOf(file)) if (!ways.has(next)) ways.set(next, [...way, next])
  return [...ways].flatMap(([name, way]) => (isHeavy(name) ? [way] : []))
}

it('the web loads neither engine nor deciders with what the web imports from the services', () => {
  const files = readdirSync(join(root, 'web/src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\.gen\.|^testing\//.test(file))
    .map((file) => `web/src/${file}`)
  const heavy = files.flatMap((file) => {
    const contracts = importsOf(file).filter((name) => name.startsWith('services/'))
    const [way] = contracts.flatMap(waysToHeavy)
    return way === undefined ? [] : [{ file, way }]
  })
  const unexpected = heavy.filter(({ file }) => !placesThatNeedIt.includes(file))
  expect(unexpected.map(({ file, way }) => [file, ...way].join(' → '))).toEqual([])
  expect(heavy.map(({ file }) => file).toSorted()).toEqual(placesThatNeedIt)
})
