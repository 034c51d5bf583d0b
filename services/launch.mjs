#!/usr/bin/env node
// Plain JavaScript, for it runs before anything is built: builds what is missing, then hands over to the program.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'dist', '.built')

/** When the newest of the files that are built was changed, in ms; 0 without sources (an image holds only dist). */
function newestSource() {
  const times = ['services', 'infra']
    .flatMap((folder) => (existsSync(join(root, folder)) ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true }) : []))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
  return Math.max(0, ...times)
}

if (!existsSync(stamp) || statSync(stamp).mtimeMs < newestSource()) {
  const began = new Date()
  process.stderr.write('Building Proofdesk, this takes a few seconds …\n')
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) {
    process.stderr.write('The build failed. Is everything installed? Run npm ci first.\n')
    process.exit(1)
  }
  writeFileSync(stamp, began.toISOString())
}

if (process.argv[2] !== '--build-only') await import(pathToFileURL(join(root, 'dist', 'services', 'cli.js')).href)
