import { Compiler } from '@swc/core'

/** Imports go one way: see ARCHITECTURE.md. Breaking a rule fails `npm run check`. */

/**
 * The order of the house, from the bottom up: each folder of `services`, and each of the same name in
 * `web/src/features`, uses what stands before it in this list, never what comes after it.
 */
const order = [
  'rules',
  'event-sourcing',
  'framework',
  'proof',
  'process',
  // The frame of every page, of the web alone.
  'frame',
  'identity',
  'programmes',
  'trading',
  'payments',
  'operations',
  'oversight',
  // What names all features, of the web alone.
  'menu',
  'portal',
  'command',
  'query',
  'worker',
  'cli',
]
const contexts = 'identity|programmes|trading|payments|operations|oversight'

/** Files that only tests run. Production code cannot import them, and the build does not contain them. */
export const TESTS =
  '\\.(test|long|child)\\.(tsx?|mjs)$|\\.conformance\\.ts$|^test-support/|^services/system-tests/|^web/e2e/|^web/src/testing/'

/** One rule for each folder of the order, in `services` and in the web. */
const ordered = ['services', 'web/src/features'].flatMap((house) =>
  order.slice(0, -1).map((folder, place) => ({
    name: `${folder}-uses-nothing-above`,
    comment: 'The order stands at the top of .dependency-cruiser.mjs.',
    severity: 'error',
    from: { path: `^${house}/${folder}/`, pathNot: TESTS },
    to: { path: `^${house}/(${order.slice(place + 1).join('|')})/` },
  })),
)

/** What a subject has beside its server half runs anywhere: in the verifier and in browsers. */
const ANYWHERE = `^services/(rules|framework/(api/|streams/|[^/]+\\.ts$)|(${contexts})/[^/]+/[^/]+\\.ts$|oversight/event-catalogue\\.ts$|portal/routes\\.ts$)`
/** What a subject and those who call it agree on. */
const CONTRACT = `^services/(framework|${contexts})/.*-(api|vocabulary)\\.ts$`
/** Folders and files without a `server` folder that are of the server all the same. */
const OF_THE_SERVER =
  '/server/|^services/(framework/(http|mails)/|framework/(module|parts)\\.ts$|process/|identity/authentication/|operations/(metrics|migration)/|portal/(?!routes\\.ts))'

/** dependency-cruiser tells its parser of TypeScript, not of JSX. */
const { parseFileSync } = Compiler.prototype
Compiler.prototype.parseFileSync = function (file, options) {
  return parseFileSync.call(this, file, { ...options, tsx: file.endsWith('.tsx') })
}

export default {
  forbidden: [
    ...ordered,
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or a third is missing.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'a-folder-for-every-file',
      comment: 'A folder of services stands in the order, or its files are tests.',
      severity: 'error',
      from: { path: '^services/', pathNot: [TESTS, `^services/(${order.join('|')})/`, '^services/launch\\.mjs$'] },
      to: {},
    },
    {
      name: 'infra-stands-below',
      comment: 'Ports and adapters know nothing of the services.',
      severity: 'error',
      from: { path: '^infra/', pathNot: TESTS },
      to: { path: '^(services|demo|web)/' },
    },
    {
      name: 'rules-run-anywhere',
      comment: 'The engine of the rules runs in the worker, the verifier and browsers: it uses zod and time zones.',
      severity: 'error',
      from: { path: '^services/rules/', pathNot: TESTS },
      to: { path: '.', pathNot: '^services/rules/|^node_modules/(zod|temporal-polyfill)/' },
    },
    {
      name: 'a-subject-runs-anywhere',
      comment: 'What lies directly in a subject has no Node and no HTTP, and does not use its server half.',
      severity: 'error',
      from: { path: ANYWHERE, pathNot: [TESTS, OF_THE_SERVER] },
      to: {
        path: OF_THE_SERVER,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'a-subject-uses-no-package-but-zod-and-immutable',
      severity: 'error',
      from: { path: ANYWHERE, pathNot: [TESTS, OF_THE_SERVER, '^services/rules/', '/password-strength\\.ts$'] },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: 'node_modules/(zod|immutable)/' },
    },
    {
      name: 'browsers-import-what-runs-anywhere',
      comment: 'Rules, contracts, and of a subject what lies directly in its folder.',
      severity: 'error',
      from: { path: '^web/src/', pathNot: TESTS },
      to: {
        path: '^(services|infra|demo|bench|test-support)/',
        pathNot: [ANYWHERE, '^services/event-sourcing/erased\\.ts$'],
      },
    },
    {
      name: 'shared-parts-know-no-feature',
      comment: 'In the web, routes import features, and features import what they share.',
      severity: 'error',
      from: { path: '^web/src/(api|form|format|lists|ui)/', pathNot: TESTS },
      to: { path: '^web/src/features/' },
    },
    {
      name: 'routes-are-on-top',
      severity: 'error',
      from: { path: '^web/src/(api|features|form|format|lists|ui)/', pathNot: TESTS },
      to: { path: '^web/src/(routes/|route-tree|router\\.tsx|main\\.tsx)' },
    },
    {
      name: 'folders-of-features-have-no-cycles',
      comment: 'Two subjects that need each other are one, or a file is in the wrong one.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^web/src/features/' },
      to: { circular: true },
    },
    {
      name: 'nothing-stays-unresolved',
      comment: 'No rule applies to an import that is not found.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'contracts-are-light',
      comment:
        'Browsers load contracts: schemas, words and tables of fields. What decides and folds stays out. The format of the rules is a contract, too.',
      severity: 'error',
      from: { path: CONTRACT },
      to: {
        path: '.',
        pathNot: [
          CONTRACT,
          // Tables of fields name types of the states that they show; light-contracts.test.ts follows them.
          '-fields\\.ts$',
          '^services/framework/(api/|(ids|event-description)\\.ts$)',
          '^services/rules/(money|zone|programme|observation)\\.ts$',
          '^node_modules/zod/',
        ],
      },
    },
    {
      name: 'read-models-are-not-read-to-decide',
      comment: 'A command decides on the event log.',
      severity: 'error',
      from: { path: '^services/.*-(commands|policies|command-service)\\.ts$', pathNot: [TESTS, '^services/cli/'] },
      to: {
        path: '^infra/read-model-store/|-read-model\\.ts$|read-model-reader\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters-are-chosen-in-one-place',
      comment:
        'services/portal/composition-root.ts picks each adapter, process/data-folder.ts those of files, operations/migration/migration-stores.ts those of a migration. All others know only the port. A witness is a program of its own.',
      severity: 'error',
      from: {
        path: '^services/',
        pathNot: [
          TESTS,
          '^services/(portal/composition-root|process/data-folder|cli/installation-commands)\\.ts$',
          '^services/operations/migration/',
          '^services/proof/witness/',
        ],
      },
      to: {
        path: '^infra/[a-z-]+/(sqlite|eventstoredb|mongodb|bullmq|redis|disk|s3|smtp|eml-folder)[a-z-]*[.]ts$',
        pathNot: '-address[.]ts$',
      },
    },
    {
      name: 'the-demo-stands-apart',
      comment: 'Only its command knows the demo.',
      severity: 'error',
      from: { path: '^(services|infra|web)/', pathNot: '^services/cli/installation-commands\\.ts$' },
      to: { path: '^demo/' },
    },
    {
      name: 'the-demo-is-loaded-by-its-command',
      comment: 'Its command imports it with import(), so that no other command loads it.',
      severity: 'error',
      from: { path: '^services/cli/installation-commands\\.ts$' },
      to: { path: '^demo/', dynamic: false },
    },
    {
      name: 'the-server-is-loaded-by-its-commands',
      comment: 'The command line imports what needs an installation with import(), so that `rules` starts soon.',
      severity: 'error',
      from: { path: '^services/cli/(cli|command-line|rules-cli|error-text)\\.ts$' },
      to: {
        path: `^services/(cli/(installation-commands|server)\\.ts$|portal/|${contexts})`,
        dependencyTypesNot: ['type-only'],
        dynamic: false,
      },
    },
    {
      name: 'production-does-not-import-tests',
      severity: 'error',
      from: { path: '^(services|infra|demo|web/src)/', pathNot: TESTS },
      to: { path: [TESTS, '^bench/'] },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.scratch\\.ts$|^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
}
