import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compression, defineAlgorithm } from 'vite-plugin-compression2'
import { constants } from 'node:zlib'
import { withoutJsonSchema } from './without-json-schema.ts'
import { pagePaths } from './page-paths.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** The web app: built into dist/web, where the query service finds it; `dev.mjs` serves it while it is worked on. */
export default defineConfig({
  root: folder,
  plugins: [
    // Only the table of routes: each route file says itself what it loads later.
    tanstackRouter({ autoCodeSplitting: false, configDirectory: folder }),
    pagePaths(fileURLToPath(new URL('src/routes', import.meta.url))),
    react(),
    tailwind(),
    withoutJsonSchema(),
    // Compressed once, here, as well as it goes: the server only hands the files out.
    compression({
      include: /\.(js|css|svg|html|txt)$/,
      threshold: 0,
      algorithms: [defineAlgorithm('brotliCompress', { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }), defineAlgorithm('gzip', { level: 9 })],
    }),
  ],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // The page's security policy allows no code or font inside other files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page needs is one file: fewer to ask for, and they compress better together. It changes only
            // with its versions, so a new version of the app leaves it in the browsers' caches. But for what only the audit reads with.
            {
              name: 'ground',
              priority: 2,
              test: /node_modules\/(?!.*(?:nfiniteQuery(?:Observer|\.)|[qQ]ueriesObserver|useQueries))(react|react-dom|scheduler|@tanstack\/(react-router|router-core|history|store|react-store|query-core|react-query)|clsx)\//,
            },
            // What reads the answers of the server, as far as everybody who is signed in needs it. What a page reads beside
            // that comes with the page: making schemas takes a browser longer than loading them.
            { name: 'contract', test: /node_modules\/zod\/|services\/contract\/(component|money|session|stamp|text)\.ts/ },
            // What stands on the pages of everybody who is signed in.
            {
              name: 'signed-in',
              test: /node_modules\/date-fns\/|web\/src\/(format\/(counts|dates|money|status)\.ts|ui\/(badge|card|copy-button|page-header|text|tooltip)\.tsx|features\/(live\/(queries|topics|use-live)|shell\/(page-frame|palette-commands|palette-look|use-palette)))/,
            },
            // And our own part of what every page needs.
            {
              name: 'frame',
              priority: 1,
              test: /web\/src\/(api\/|(toast|theme|query-client|search)\.ts|ui\/(button|brand|link|states|field|tabs)\.tsx|features\/(shell\/(root|edge-pages|theme-switch)|session\/(guards|other-tabs|queries|session-end)))|vite\/preload-helper|lucide-react\/dist\/esm\/(?!icons)/,
            },
          ],
        },
      },
    },
  },
})
