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
    react(),
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
            // Small things of every page; a group takes along what it imports, unless an earlier one has it.
            {
              name: 'common',
              test: /[\\/](?:services[\\/]api|lucide-react|@radix-ui[\\/](?:primitive|react-(?:slot|primitive|context|compose-refs|presence|id|portal|focus-scope|dismissable-layer|use-[a-z-]+)))[\\/]|-(?:api|vocabulary)\.ts$/,
            },
            // Terms of programmes in words: many pages show them, and need nothing else of what events mean.
            { name: 'terms', test: /[\\/](?:terms-in-words\.ts|terms-view\.tsx)$/ },
            // What events mean: histories and what opens over a page need it, no first page does.
            {
              name: 'events',
              test: /[\\/](?:immutable|services[\\/](?:modules|event-sourcing|proof)|src[\\/]features[\\/]audit)[\\/]/,
              minShareCount: 6,
            },
            // The dashboard needs no form and opens no dialog by itself, and the sign-in opens none.
            {
              name: 'forms',
              test: /[\\/](?:react-hook-form|@hookform)[\\/]|[\\/]form[\\/]api-form\.ts/,
              minShareCount: 6,
            },
            {
              name: 'dialogs',
              test: /[\\/](?:@radix-ui[\\/]react-dialog|react-remove-scroll)[\\/]|[\\/]ui[\\/]dialog\.tsx|[\\/]form[\\/]form-dialog\.tsx/,
              minShareCount: 6,
            },
            // The pages before the sign-in have neither stamps nor tables.
            {
              name: 'pages',
              test: /[\\/](?:@floating-ui|@radix-ui[\\/]react-(?:tooltip|popper))[\\/]|[\\/]ui[\\/](?:data-table|text|tooltip)\.tsx/,
            },
            { name: 'shared', minShareCount: 6 },
          ],
        },
      },
    },
  },
})
