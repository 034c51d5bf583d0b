import { execFileSync } from 'node:child_process'

/**
 * `npm run lines -- <commit>`: the lines that production is made of, folder by folder, at a commit and in the checkout.
 * Tests, their support and generated files do not count. The demo counts wherever it is, so moving files changes
 * nothing.
 */

const since = process.argv[2] ?? 'HEAD'
const isProduction = (path: string) =>
  /^(services|infra|web|demo)\/.*\.(tsx?|mjs|css|html)$/.test(path) &&
  !/\.(test|long|child)\.|\.conformance\.|\.gen\.|\/system-tests\/|^web\/(e2e|src\/testing)\//.test(path)

/** 'services/proof' and 'web/src', the demo by its own name. */
const folderOf = (path: string) =>
  /\bdemo\//.test(path)
    ? 'demo'
    : path
        .split('/')
        .slice(0, path.startsWith('infra/') ? 1 : 2)
        .join('/')
const git = (...parameters: readonly string[]) =>
  execFileSync('git', parameters, { encoding: 'utf8', maxBuffer: 2 ** 28 })

/** Lines by folder. `tree` is a commit, or undefined for the files as they are now. */
function linesOf(tree: string | undefined): Map<string, number> {
  const counted = git('grep', '-c', '', ...(tree === undefined ? [] : [tree]), '--', 'services', 'infra', 'web', 'demo')
    .trim()
    .split('\n')
  const lines = new Map<string, number>()
  for (const row of counted) {
    const [path = '', count = ''] = row.slice(tree === undefined ? 0 : tree.length + 1).split(':')
    if (isProduction(path)) lines.set(folderOf(path), (lines.get(folderOf(path)) ?? 0) + Number(count))
  }
  return lines
}

const [before, after] = [linesOf(since), linesOf(undefined)]
const total = (lines: Map<string, number>) => [...lines.values()].reduce((sum, count) => sum + count, 0)
const row = (name: string, from: number, to: number) =>
  `${name.padEnd(28)}${String(from).padStart(8)}${String(to).padStart(8)}${String(to - from).padStart(8)}\n`
process.stdout.write(
  `${'production lines'.padEnd(28)}${since.slice(0, 7).padStart(8)}${'now'.padStart(8)}${'change'.padStart(8)}\n`,
)
for (const folder of [...new Set([...before.keys(), ...after.keys()])].toSorted())
  process.stdout.write(row(folder, before.get(folder) ?? 0, after.get(folder) ?? 0))
process.stdout.write(row('all', total(before), total(after)))
