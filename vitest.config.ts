import { existsSync, statfsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { firmSetups, imageSetups } from './test-support/setups.ts'

const MEMORY_DISK = '/dev/shm'
const ROOM = 2 ** 31

/**
 * Tests wait for their disk far more than they keep on it. Processes that are killed leave the same files in memory.
 */
if (process.env['TMPDIR'] === undefined && existsSync(MEMORY_DISK)) {
  const { bavail, bsize } = statfsSync(MEMORY_DISK)
  if (bavail * bsize >= ROOM) process.env['TMPDIR'] = MEMORY_DISK
}

/** Vitest starts with the largest files. Of each project, these come before them: they are small and take long. */
const slow = /\/system-tests\/|\/mongodb-|\/export-attacks|\/admin-look/

class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    const turn = ({ project, moduleId }: TestSpecification) =>
      2 * projects.indexOf(project) + (slow.test(moduleId) ? 0 : 1)
    return sorted.toSorted((one, other) => turn(one) - turn(other))
  }
}

/** With `npm test` these try some of their cases, by seed; with `npm run test:long` all. */
const sampling = [
  'services/trading/statements/server/{changed-bytes,round-trip}.test.ts',
  'services/system-tests/{document-attacks,export-attacks,killing-money,once-only-killed,storage-attacks}.test.ts',
  'demo/demo.test.ts',
  'web/src/api/lenient.test.ts',
  'web/e2e/{admin-look,every-screen}.test.ts',
]

/** Set for `npm run test:setups` and `npm run test:containers`: their projects come instead of the others. */
const setups = { firm: firmSetups, images: imageSetups }[process.env['TEST_SETUPS'] ?? '']

const services = {
  // A worker imports the program once for all its files. No test changes what modules hold.
  isolate: false,
  setupFiles: ['./test-support/seeded-properties.ts'],
  // More than until() waits, which says for what. What takes longer than half of it says so itself.
  testTimeout: 90_000,
  hookTimeout: 120_000,
}

/** Sign-up, codes, requests, verdicts, the profile, imports and findings: run on translated pages, too. */
const mainWays = ['web/e2e/{session,second-factors,trader-payouts,admin-payouts,trader-pages,imports,findings}.test.ts']

/** Options of web/e2e/kit.ts under which `npm run test:long` runs all browser tests once more. */
const circumstances = {
  translated: { TRANSLATED: 'yes' },
  'low window': { WINDOW: 'low' },
  'large text': { TEXT: 'large' },
  'Cyrillic keyboard': { KEYBOARD: 'cyrillic' },
}
const onlyMeasured = ['web/e2e/{first-load,development,react}.test.ts', 'web/e2e/{layout-shift,slow-sign-in}.long.ts']

const browser = {
  globalSetup: ['./web/e2e/build.ts'],
  // A worker imports the program and starts Chromium once for all its files.
  isolate: false,
  testTimeout: 90_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('web/src', import.meta.url)) } },
  test: {
    sequence: { sequencer: SlowFilesFirst },
    // The second reporter ends every run in one plain line: 'N passed, N failed'.
    reporters: ['default', './test-support/closing-line.ts'],
    // Many tests wait for a disk or another process: with four workers, two cores are idle for a tenth of the time. The
    // servers of containers share these cores.
    maxWorkers: process.env['TEST_SETUPS'] === 'images' ? 2 : 4,
    projects: setups?.map((setup) => ({ extends: true, test: { ...services, ...setup } })) ?? [
      {
        extends: true,
        test: {
          ...services,
          name: 'services',
          include: ['services/**/*.test.ts', 'infra/**/*.test.ts', 'demo/**/*.test.ts', 'test-support/**/*.test.ts'],
        },
      },
      // Tests that take many minutes, run on purpose: npm run test:long.
      ...(process.env['TEST_LONG'] === undefined
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: 'long',
                testTimeout: 600_000,
                hookTimeout: 120_000,
                include: ['services/**/*.long.ts', 'web/e2e/*.long.ts', ...sampling],
                globalSetup: ['./web/e2e/build.ts'],
              },
            },
            ...Object.entries(circumstances).map(([name, env]) => ({
              extends: true as const,
              test: {
                ...browser,
                name: `long, ${name}`,
                testTimeout: 600_000,
                env,
                include: ['web/e2e/*.{test,long}.ts'],
                exclude: onlyMeasured,
              },
            })),
          ]),
      {
        extends: true,
        test: {
          name: 'web',
          include: ['web/src/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          // From version 25 on Node has a localStorage without a file behind it, which hides the window's.
          execArgv: process.allowedNodeEnvironmentFlags.has('--experimental-webstorage')
            ? ['--no-experimental-webstorage']
            : [],
          // A worker opens one window and imports React once for all its files; each test removes what it has rendered.
          isolate: false,
          setupFiles: ['./web/src/testing/setup.ts'],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: { ...browser, name: 'browser', include: ['web/e2e/**/*.test.ts'] },
      },
      {
        extends: true,
        test: { ...browser, name: 'translated', env: { TRANSLATED: 'yes' }, include: mainWays },
      },
    ],
  },
})
