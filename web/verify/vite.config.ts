import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { compressed } from '../compressed.ts'
import { withoutJsonSchema } from '../without-json-schema.ts'
import { withoutOtherSubjects } from './other-subjects.ts'
import { singlePage } from './single-page.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Builds the verify page into dist/verify: one file, with the domain's own code. */
export default defineConfig({
  root: path('.'),
  publicDir: false,
  resolve: {
    alias: [
      { find: /^zod$/, replacement: path('zod.ts') },
      { find: /^immutable$/, replacement: path('immutable.ts') },
    ],
  },
  plugins: [withoutJsonSchema(), withoutOtherSubjects(), singlePage(path('page.html'), 'verify.html'), compressed()],
  build: {
    outDir: path('../../dist/verify'),
    emptyOutDir: true,
    target: 'es2023',
    // As the web app: they know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: false,
    reportCompressedSize: false,
    // Only this format of a library loses its white space.
    lib: { entry: path('main.ts'), formats: ['iife'], name: 'verify', fileName: 'verify' },
  },
})
