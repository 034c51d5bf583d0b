import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // The second reporter ends every run in one plain line: 'N passed, N failed'.
    reporters: ['default', './test-support/closing-line.ts'],
    // Most tests wait for a disk or another process, so a few more workers than cores keep both busy.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'services',
          // A worker imports the program once for all its files. No test changes what modules hold.
          isolate: false,
          include: ['services/**/*.test.ts', 'infra/**/*.test.ts', 'test-support/**/*.test.ts'],
          setupFiles: ['./test-support/seeded-properties.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      // What takes many minutes of a machine, and is run on purpose: npm run test:long.
      ...(process.env['TEST_LONG'] === undefined
        ? []
        : [{ extends: true as const, test: { name: 'long', include: ['services/**/*.long.ts'], globalSetup: ['./web/e2e/build.ts'] } }]),
      {
        extends: true,
        test: {
          name: 'web',
          include: ['web/src/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          // A worker opens one window and imports React once for all its files; each test removes what it has rendered.
          isolate: false,
          setupFiles: ['./web/src/testing/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['web/e2e/**/*.test.ts'],
          globalSetup: ['./web/e2e/build.ts'],
          // A worker imports the portal and starts Chromium once for all its files; each file opens a portal of its own.
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
