/** Imports go one way: see ARCHITECTURE.md. Breaking a rule fails `npm run check`. */

/** Files that only tests run. Production code cannot import them, and the build does not contain them. */
export const TESTS =
  '\\.(test|long|child)\\.(tsx?|mjs)$|\\.conformance\\.ts$|^test-support/|^services/system-tests/|^services/rules/examples/|^web/e2e/|^web/src/testing/'

/** What knows no subject. */
const GENERIC = '^(services/(event-sourcing|api|http|money|rules|keys|proof|witness)|infra)/'
/** The half of a subject that runs anywhere. */
const ANYWHERE = '^services/modules/[^/]+/[^/]+\\.ts$'

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or a third is missing.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'generic-code-knows-no-subject',
      comment: 'Event sourcing, the API kit, HTTP, money, keys, proofs and ports serve every subject.',
      severity: 'error',
      from: { path: GENERIC, pathNot: TESTS },
      to: { path: '^services/(modules|authentication|command|query|worker|operations|cli|metrics)/' },
    },
    {
      name: 'rules-run-anywhere',
      comment:
        'The engine of the rules runs in the worker, the verifier and browsers: it uses money, zod and time zones.',
      severity: 'error',
      from: { path: '^services/rules/', pathNot: TESTS },
      to: { path: '.', pathNot: '^services/(rules|money)/|^node_modules/(zod|temporal-polyfill)/' },
    },
    {
      name: 'infra-stands-below',
      comment: 'Ports and adapters know nothing of the services.',
      severity: 'error',
      from: { path: '^infra/', pathNot: TESTS },
      to: { path: '^(services|demo|web)/' },
    },
    {
      name: 'a-subject-runs-anywhere',
      comment:
        'What lies directly in a subject runs in the verifier and in browsers: no Node, no HTTP, no server half. zod and immutable only.',
      severity: 'error',
      from: { path: ANYWHERE, pathNot: TESTS },
      to: {
        path: [
          '^services/modules/[^/]+/server/',
          '^services/modules/(index|module|dependencies)\\.ts$',
          '^services/(http|authentication|keys|command|query|worker|operations|cli|metrics)/',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'a-subject-uses-no-package-but-zod-and-immutable',
      severity: 'error',
      from: {
        path: [
          ANYWHERE,
          '^services/modules/(subject|subjects|account-aggregate|account-parts|shown-state|ids|event-description)\\.ts$',
        ],
        pathNot: TESTS,
      },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: 'node_modules/(zod|immutable)/' },
    },
    {
      name: 'services-assemble-the-server-halves',
      comment: 'The list of server halves is for what assembles: the services, the command line, metrics.',
      severity: 'error',
      from: {
        path: '^services/(modules|authentication|http|api|proof|keys|event-sourcing)/',
        pathNot: [TESTS, '^services/modules/index\\.ts$'],
      },
      to: { path: '^services/modules/index\\.ts$' },
    },
    {
      name: 'read-models-are-not-read-to-decide',
      comment: 'A command decides on the event log.',
      severity: 'error',
      from: { path: '^services/(command/|modules/.*-(commands|policies)\\.ts$)', pathNot: TESTS },
      to: {
        path: '^infra/read-model-store/|-read-model\\.ts$|read-model-reader\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters-are-chosen-in-one-place',
      comment:
        'services/composition-root.ts picks each adapter, operations/migration/migration-stores.ts those of a migration. All others know only the port. A witness is a program of its own.',
      severity: 'error',
      from: {
        path: '^services/',
        pathNot: [
          TESTS,
          '^services/(composition-root|cli/installation-commands)\\.ts$',
          '^services/operations/migration/',
          '^services/witness/',
        ],
      },
      to: {
        path: '^infra/[a-z-]+/(sqlite|eventstoredb|mongodb|bullmq|redis|disk|s3|smtp|eml-folder)[a-z-]*[.]ts$',
        pathNot: 's3-address',
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
      from: { path: '^services/(cli|cli/(command-line|rules-cli|error-text))\\.ts$' },
      to: {
        path: '^services/(cli/installation-commands|composition-root|server|modules/)',
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
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
}
