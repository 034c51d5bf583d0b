/** Imports go one way: see ARCHITECTURE.md. Breaking a rule fails `npm run check`. */

/** Files that only tests run. Production code cannot import them, and the build does not contain them. */
export const TESTS = '\\.(test|long|child)\\.(tsx?|mjs)$|\\.conformance\\.ts$|^test-support/|^services/system-tests/|^web/e2e/|^web/src/testing/'

/** The folders of our own that each folder may import, besides itself. What is not listed is forbidden. */
const allowed = {
  'services/event-sourcing/': ['infra/(event-store|key-store|read-model-store)/', 'infra/(async|failures)'],
  'services/domain/': ['services/event-sourcing/(aggregate-type|decider|erased|event-definitions|event-registry|refusal)'],
  'services/api/': ['services/domain/(decimal|event-description|all-event-descriptions|user/profile|vocabulary)'],
  'services/keys/': ['services/(event-sourcing|domain)/', 'services/config', 'infra/'],
  'services/use-cases/': ['services/(event-sourcing|domain|keys)/', 'infra/'],
  'services/policies/': ['services/(event-sourcing|domain|use-cases|keys)/', 'infra/'],
  'services/projections/': ['services/(event-sourcing|domain)/', 'services/api/(account-fields|audit-schemas)', 'infra/(event-store|read-model-store)/'],
  'services/proof/': [
    'services/(event-sourcing|domain|keys|audit)/',
    'services/api/audit-schemas',
    'infra/(event-store|file-store|read-model-store|tree-store)/',
    'infra/failures',
  ],
  'services/witness/': ['services/proof/', 'infra/sqlite/', 'infra/file-store/durable-file'],
  'services/audit/': ['services/(event-sourcing|domain|api)/', 'infra/event-store/'],
  'services/http/': ['services/(event-sourcing|domain|api|use-cases|keys|projections)/', 'services/(composition-root|version)', 'infra/'],
  'services/command/': ['services/(event-sourcing|domain|api|http|use-cases|keys)/', 'services/composition-root', 'infra/'],
  'services/query/': ['services/(event-sourcing|domain|api|http|projections|audit|proof|keys)/', 'services/composition-root', 'infra/'],
  'services/worker/': ['services/(event-sourcing|domain|api|policies|use-cases|projections|proof|keys)/', 'infra/'],
  'services/metrics/': ['services/(event-sourcing|domain|api|projections)/', 'infra/'],
  'infra/': [],
}

const allowList = Object.entries(allowed).map(([folder, others]) => ({
  name: folder,
  comment: `${folder} may import: ${['itself', ...others].join(', ')}`,
  severity: 'error',
  from: { path: `^${folder}`, pathNot: TESTS },
  to: { path: '^(services|infra|demo|web|bench|test-support)/', pathNot: [`^${folder}`, ...others.map((other) => `^${other}`)] },
}))

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or a third is missing.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...allowList,
    {
      name: 'domain-does-no-io',
      comment: 'No clock, no randomness, no I/O, no framework: zod and immutable only.',
      severity: 'error',
      from: { path: '^services/domain/', pathNot: TESTS },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: 'node_modules/(zod|immutable)/' },
    },
    {
      name: 'read-models-are-not-read-to-decide',
      comment: 'A command decides on the event log.',
      severity: 'error',
      from: { path: '^services/(command|use-cases|policies|domain)/', pathNot: TESTS },
      to: { path: '^infra/read-model-store/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'adapters-are-chosen-in-one-place',
      comment:
        'services/composition-root.ts picks each adapter, operations/migration/migration-stores.ts those of a migration. All others know only the port. A witness is a program of its own.',
      severity: 'error',
      from: {
        path: '^services/',
        pathNot: [TESTS, '^services/(composition-root|cli/command-line)\\.ts$', '^services/operations/migration/', '^services/witness/'],
      },
      to: { path: '^infra/[a-z-]+/(sqlite|eventstoredb|mongodb|bullmq|redis|disk|s3|smtp|eml-folder)[a-z-]*[.]ts$', pathNot: 's3-address' },
    },
    {
      name: 'the-demo-stands-apart',
      comment: 'Only its command knows the demo.',
      severity: 'error',
      from: { path: '^(services|infra|web)/', pathNot: '^services/cli/command-line\\.ts$' },
      to: { path: '^demo/' },
    },
    {
      name: 'the-demo-is-loaded-by-its-command',
      comment: 'Its command imports it with import(), so that no other command loads it.',
      severity: 'error',
      from: { path: '^services/cli/command-line\\.ts$' },
      to: { path: '^demo/', dynamic: false },
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
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'], exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
