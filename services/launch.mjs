#!/usr/bin/env node
// Plain JavaScript, for it runs before anything is built: builds what is missing, then hands over to the program.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** What is built: which project of vite, from which folders. */
const builds = [
  { name: 'services', project: '.', folders: ['services', 'infra', 'demo'] },
  { name: 'web', project: 'web', folders: ['web', 'services'] },
  // One file, with the domain's own code.
  {
    name: 'verify',
    project: 'web/verify',
    folders: ['web/verify', 'web/src', 'services'],
  },
  // The frame of public pages, which uses the styles of the verify page and the colours of the app.
  { name: 'certificate', project: 'web/certificate', folders: ['web/certificate', 'web/verify', 'web/src'] },
]

/**
 * Neither tests nor documents are built, and what the build itself writes among the sources is no reason to build
 * again.
 */
const isSource = (path) => !/\.gen\.ts$|\.(test|long)\.tsx?$|[\\/]e2e[\\/]|\.md$/.test(path)

/** Libraries are part of each build. */
const files = ['package-lock.json', 'vite.config.ts'].map((name) => join(root, name))

const stampOf = ({ name }) => join(root, 'dist', `.built-${name}`)

/** When the newest of the files that are built was changed, in ms; 0 without sources (an image holds only dist). */
function newestSource({ folders }) {
  const sources = folders
    .flatMap((folder) =>
      existsSync(join(root, folder)) ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true }) : [],
    )
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isSource)
  return Math.max(0, ...[...sources, ...files.filter(existsSync)].map((path) => statSync(path).mtimeMs))
}

const isBuilt = (part) => existsSync(stampOf(part)) && statSync(stampOf(part)).mtimeMs >= newestSource(part)
const allBuilt = () => builds.every(isBuilt)

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
      // A process that was killed while building left its lock.
      if (!isAlive(lock)) rmSync(lock, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  }
  try {
    for (const part of builds) if (process.exitCode === undefined && !isBuilt(part)) build(part)
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

function build(part) {
  const began = new Date()
  process.stderr.write(`Building Proofdesk (${part.name}), this takes a few seconds …\n`)
  const { status } = spawnSync(
    process.execPath,
    [join('node_modules', 'vite', 'bin', 'vite.js'), 'build', part.project, '--logLevel', 'warn'],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      // The same is served in either case: tests set another one.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  if (status !== 0) {
    process.stderr.write('The build failed. Is everything installed? Run npm ci first.\n')
    process.exitCode = 1
    return
  }
  // What was changed while it was being built is newer than the stamp.
  writeFileSync(stampOf(part), began.toISOString())
  utimesSync(stampOf(part), began, began)
}

if (!allBuilt()) buildInTurn()

if (process.argv[2] !== '--build-only' && process.exitCode === undefined)
  await import(pathToFileURL(join(root, 'dist', 'services', 'cli.js')).href)
