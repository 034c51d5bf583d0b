import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/**
 * Builds the program into dist/services, with its libraries: Node opens a dozen files at each start instead of a
 * thousand.
 */
export default defineConfig({
  root: path('.'),
  publicDir: false,
  ssr: {
    noExternal: true,
    // They load machine code from their own folders.
    external: ['libsql', '@node-rs/argon2', 'msgpackr-extract'],
  },
  build: {
    ssr: true,
    outDir: path('dist/services'),
    // A running program may still import parts of what is replaced: each keeps its path.
    emptyOutDir: false,
    target: 'node20.19',
    sourcemap: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    // A stack trace needs no sources, and each process would keep them.
    rolldownOptions: {
      // Statements are read in a thread, which is a program of its own.
      input: [path('services/cli/cli.ts'), path('services/trading/imports/server/statement-thread.ts')],
      output: { chunkFileNames: '[name].js', sourcemapExcludeSources: true },
    },
  },
})
