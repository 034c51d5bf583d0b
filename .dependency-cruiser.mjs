/** Imports go one way: see ARCHITECTURE.md. Breaking a rule fails `npm run check`. */
const only = (name, from, comment, ...allowed) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: '\\.(test|long|child)\\.tsx?$|/testing/|testing\\.ts$|^web/e2e/' },
  to: { path: '^(services|infra|web)/', pathNot: [from, ...allowed] },
})

export default {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Two files that need each other are one file, or miss a third.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    only('domain-is-pure', '^services/domain/', 'The rules know nothing but themselves.'),
    {
      name: 'domain-does-no-io',
      comment: 'No clock, no randomness, no I/O, no framework: zod and immutable only.',
      severity: 'error',
      from: { path: '^services/domain/', pathNot: '\\.test\\.ts$|testing\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: 'node_modules/(zod|immutable)/' },
    },
    only('contract-stands-alone', '^services/contract/', 'The browser imports it too.'),
    only('journal', '^services/journal/', 'The journal knows the domain and the ports it works with.', '^services/domain/', '^infra/(event-store|key-store)/', '^infra/failures'),
    only('processes', '^services/processes/', 'What spans streams: journal and ports.', '^services/(domain|journal)/', '^infra/'),
    only('views', '^services/views/', 'Views are data and pure functions over facts.', '^services/(domain|journal)/', '^infra/(event-store|view-store)/'),
    only('http', '^services/http/', 'What command and query share.', '^services/(domain|journal|contract)/', '^infra/'),
    only('command', '^services/command/', 'A command never reads a view.', '^services/(domain|journal|contract|http|processes)/', '^infra/'),
    only('proof', '^services/proof/', 'Seals over stored bytes, and the checks of them.', '^services/(domain|journal)/', '^infra/(event-store|file-store|view-store)/'),
    only('audit', '^services/audit/', 'Replay: the same folding as decisions, in the words of the contract.', '^services/(domain|journal|contract)/', '^infra/event-store/'),
    only('query', '^services/query/', 'A query decides nothing.', '^services/(domain|journal|contract|http|views|audit|proof)/', '^infra/'),
    only('worker', '^services/worker/', 'The worker never answers a person.', '^services/(domain|journal|contract|processes|views|proof)/', '^infra/'),
    only('metrics', '^services/metrics/', 'Measures around ports, and what the views tell of themselves.', '^services/(domain|journal|contract|views)/', '^infra/'),
    only('infra-knows-no-service', '^infra/', 'Adapters know their ports, not what uses them.'),
    {
      name: 'services-know-no-web',
      comment: 'The web app is built and served, never imported. What it may import itself stands in .oxlintrc.json.',
      severity: 'error',
      from: { path: '^(services|infra)/' },
      to: { path: '^web/' },
    },
    {
      name: 'views-are-not-read-to-decide',
      comment: 'The log is.',
      severity: 'error',
      from: { path: '^services/(command|processes|journal|domain)/' },
      to: { path: '^infra/view-store/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'adapters-are-chosen-in-one-place',
      comment: 'services/parts.ts picks each adapter, and where an installation moves to services/moving/stores.ts; everybody else knows only the port.',
      severity: 'error',
      from: { path: '^services/', pathNot: '^services/(parts|cli|moving/stores)\\.ts$|\\.(test|long|child)\\.ts$|/testing/|testing\\.ts$|harness' },
      to: { path: '^infra/.*/(sqlite|outbox|disk|eventstoredb|mongodb|bullmq|redis|minio|s3|smtp)\\.ts$' },
    },
    {
      name: 'services-do-not-use-tests',
      severity: 'error',
      from: { path: '^(services|infra)/', pathNot: '\\.(test|long|child)\\.ts$|/testing/|testing\\.ts$|contract\\.ts$|record-samples|harness|given\\.ts$|history\\.ts$|/double/' },
      to: { path: '\\.(test|long|child)\\.ts$|/testing/|testing\\.ts$|/double/|^infra/[^/]+/contract\\.ts$' },
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
