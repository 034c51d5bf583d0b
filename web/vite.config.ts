import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from './compressed.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Builds the web app into dist/web, where the query service finds it; `dev.mjs` serves it during development. */
export default defineConfig({
  root: folder,
  resolve: { alias: { '@': fileURLToPath(new URL('src', import.meta.url)) } },
  plugins: [
    // Only generates the route tree: route files choose what loads later.
    tanstackRouter({ autoCodeSplitting: false, configDirectory: folder }),
    react({ jsxImportSource: '@/jsx' }),
    tailwind(),
    compressed(),
  ],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // The first browsers with light-dark(), of early 2024.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The security policy forbids inlined code and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'initial', tags: ['$initial'] },
            // What pages are built of, without what opens over them.
            {
              name: 'shared',
              test: /src\/(?:\w+-?\w+\.tsx?|(?:ui|format|features\/frame)\/(?!.*(?:dialog|open-menu|toast|palette|qr-code)))|services\/framework\/api|tanstack|lucide/,
              minShareCount: 2,
              includeDependenciesRecursively: false,
            },
            // What most pages ask and get.
            {
              name: 'contracts',
              minShareCount: 20,
              test: /services\/(?!oversight)/,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
})
