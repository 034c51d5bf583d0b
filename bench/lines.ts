import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * `npm run lines -- <commit>`: the lines that production is made of, folder by folder, at a commit and in the checkout.
 * Both are formatted alike first, since the width of lines changed. Tests, their support (the
 * rule engine's worked examples) and generated files do not count. The demo counts wherever it is, so moving files changes nothing.
 */

const since = process.argv[2] ?? 'HEAD'
const isProduction = (path: string) =>
  /^(services|infra|web|demo)\/.*\.(tsx?|mjs|css|html)$/.test(path) &&
  !/\.(test|long|child)\.|\.conformance\.|\.gen\.|\/system-tests\/|^services\/rules\/examples\/|^web\/(e2e|src\/testing)\//.test(
    path,
  )

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
  const listed = tree === undefined ? git('ls-files') : git('ls-tree', '-r', '--name-only', tree)
  const paths = listed.split('\n').filter(isProduction)
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-lines-'))
  try {
    for (const path of paths) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), tree === undefined ? readFileSync(path) : git('show', `${tree}:${path}`))
    }
    execFileSync('node_modules/.bin/oxfmt', ['--config', '.oxfmtrc.json', folder], { stdio: 'ignore' })
    const lines = new Map<string, number>()
    for (const path of paths) {
      const count = readFileSync(join(folder, path), 'utf8').split('\n').length - 1
      lines.set(folderOf(path), (lines.get(folderOf(path)) ?? 0) + count)
    }
    return lines
  } finally {
    rmSync(folder, { recursive: true })
  }
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
