import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { singlePage } from '../verify/single-page.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Builds the frame of the pages of shared certificates into dist/certificate: one file, which the query service fills. */
export default defineConfig({
  root: path('.'),
  publicDir: false,
  plugins: [singlePage(path('page.html'), 'certificate.html')],
  build: {
    outDir: path('../../dist/certificate'),
    emptyOutDir: true,
    target: 'es2023',
    // As the web app: they know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: false,
    reportCompressedSize: false,
    // Only this format of a library loses its white space.
    lib: { entry: path('main.ts'), formats: ['iife'], name: 'certificate', fileName: 'certificate' },
  },
})
