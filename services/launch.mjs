#!/usr/bin/env node
// Plain JavaScript, for it runs before anything is built: builds what is missing, then hands over to the program.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
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

const isBuilt = () => existsSync(stamp) && statSync(stamp).mtimeMs >= newestSource()

/** Three services that are started together must not build over each other: one builds, the others wait for it. */
function buildInTurn() {
  const lock = join(root, 'dist', '.building')
  mkdirSync(dirname(lock), { recursive: true })
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      // Whoever was killed while building left its lock.
      if (!isAlive(lock)) rmSync(lock, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  }
  try {
    if (!isBuilt()) build()
  } finally {
    rmSync(lock, { force: true })
  }
}

function isAlive(lock) {
  try {
    // A lock that was made this moment may still be empty.
    const pid = Number(readFileSync(lock, 'utf8'))
    return pid === 0 || process.kill(pid, 0)
  } catch (error) {
    // Gone meanwhile is as good as taken: look again.
    return error.code !== 'ESRCH'
  }
}

function build() {
  const began = new Date()
  process.stderr.write('Building Proofdesk, this takes a few seconds …\n')
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) {
    process.stderr.write('The build failed. Is everything installed? Run npm ci first.\n')
    process.exitCode = 1
    return
  }
  // What was changed while it was being built is newer than the stamp.
  writeFileSync(stamp, began.toISOString())
  utimesSync(stamp, began, began)
}

if (!isBuilt()) buildInTurn()

if (process.argv[2] !== '--build-only' && process.exitCode === undefined) await import(pathToFileURL(join(root, 'dist', 'services', 'cli.js')).href)
