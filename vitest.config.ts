import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['services/**/*.test.ts', 'infra/**/*.test.ts', 'bench/**/*.test.ts'],
    // The second reporter ends every run in one plain line: 'N passed, N failed'.
    reporters: ['default', './services/testing/closing-line.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Most tests wait for a disk or another process, so a few more workers than cores keep both busy.
    maxWorkers: 3,
  },
})
