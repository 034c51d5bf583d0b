import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['services/**/*.test.ts', 'infra/**/*.test.ts', 'bench/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
