import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compressed } from './compressed.ts'
import { preactForReact } from './preact-for-react.ts'
import { withoutJsonSchema } from './stubs.ts'
import { pagePaths } from './page-paths.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Preact in place of React in what is built (docs/decisions/031); development keeps React with its hot reload and its warnings. */
const smallerReact: Plugin = { name: 'smaller-react', apply: 'build', config: () => ({ resolve: { alias: preactForReact } }) }

/** Builds the web app into dist/web, where the query service finds it; `dev.mjs` serves it during development. */
export default defineConfig({
  root: folder,
  plugins: [
    // Only generates the route tree: route files choose what loads later.
    tanstackRouter({ autoCodeSplitting: false, configDirectory: folder }),
    pagePaths(fileURLToPath(new URL('src/routes', import.meta.url))),
    react(),
    smallerReact,
    tailwind(),
    withoutJsonSchema(),
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
      // A schema may load later on one page and at once on another: the groups below decide about files.
      checks: { ineffectiveDynamicImport: false },
      output: {
        codeSplitting: {
          groups: [
            // Libraries of every page. One file compresses better, and stays in the browser's cache across releases.
            // React Query's infinite and parallel queries are left to the audit, which alone uses them.
            {
              name: 'libraries',
              priority: 2,
              test: /rolldown\/runtime|node_modules\/(?!.*(?:nfiniteQuery(?:Observer|\.)|[qQ]ueriesObserver|useQueries))(preact|use-sync-external-store|@tanstack\/(react-router|router-core|history|store|react-store|query-core|react-query)|clsx)\//,
            },
            // Our own part of every page, with the small parts of the signed-out screens.
            {
              name: 'frame',
              priority: 1,
              test: /services\/api\/vocabulary\.ts|web\/src\/(api\/(?!lenient)|routes\/|main\.tsx|router\.tsx|route-tree|zod-without-eval|form\/|format\/countries|(store|stored|use-store|toast|theme|time-zone|query-client|search|ui\/use-page-inert)\.ts|ui\/(button|brand|link|states|field|tabs)\.tsx|features\/(shell\/(root|edge-pages|theme-switch)|session\/(guards|outside-frame|other-tabs|session-queries|session-end)))|vite\/preload-helper|lucide-react\/dist\/esm\/(?!icons(?!\/key-round))/,
            },
            // The code that every signed-in page needs, in one request: the schemas that read answers, the parts that pages share, the frame of the
            // trader's pages and the live connection. The forms of the signed-out screens load it on their first focus, so it is there after them.
            {
              name: 'signed-in',
              test: /node_modules\/(zod)\/|lucide-react\/dist\/esm\/icons\/(check|copy|download|triangle-exclamation-point|x)\.|services\/api\/(component|openapi-component|money|pagination|session|account|payout|performance|stamp|text|live|breach|audit|notice|factor)(-schemas)?\.ts|web\/src\/(addresses|api\/lenient|format\/(?!countries)|ui\/(badge|card|copy-button|meter|page-header|text|tooltip|address-link)\.tsx|features\/(admin\/lists\/address|live\/|shell\/(page-frame|palette-commands|use-palette|trader-layout)|account\/(account-(queries|commands)|room-left|trading-results)|payouts\/(payout-queries|methods)))/,
            },
            // Shared by administrators' pages.
            {
              name: 'admin',
              test: /lucide-react\/dist\/esm\/icons\/user-plus\.|web\/src\/(features\/admin\/(admin-layout|access|admin-change|figures-row|palette|dashboard\/statistics-queries|lists\/|users\/(user-management-queries|user-link|user-menu|users-table|add-user-button)|payouts\/(approvals|payout-management-queries))|ui\/(data-table|menu)\.tsx)|services\/api\/(statistics|user|certificate)-schemas\.ts/,
            },
            // What opens over a page: dialogs, and what menus, tooltips and toasts have in common with them.
            {
              name: 'overlays',
              test: /web\/src\/ui\/dialog\.tsx|node_modules\/(@radix-ui\/(?!react-(toast|tooltip|popper|arrow|menu|dropdown-menu|roving-focus|direction|use-(size|rect|is-hydrated))\/)|react-remove-scroll|aria-hidden|use-sidecar|use-callback-ref|react-style-singleton|get-nonce|tslib)/,
            },
            // Verdicts on payouts load soon after each list of payouts.
            { name: 'payout-list', test: /web\/src\/features\/admin\/payouts\/(payouts-table|selection|use-verdicts)/ },
            { name: 'verdicts', test: /web\/src\/features\/admin\/payouts\/verdict-(context|dialog)/ },
            // A history and its replay, of traders and administrators.
            {
              name: 'history',
              test: /web\/src\/features\/audit\/(?!\w+-page)|nfiniteQuery(?:Observer|\.)|[qQ]ueriesObserver|useQueries/,
            },
            // Second factors at sign-in; second factors and open sessions of those who are signed in.
            { name: 'factors', test: /web\/src\/features\/session\/(second-step|factor-(queries|proof-form))/, priority: 1 },
            { name: 'security', test: /web\/src\/features\/session\/(factor-sections|sessions-section|open-session-queries)/ },
          ],
        },
      },
    },
  },
})
