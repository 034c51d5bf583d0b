import rules, { TESTS } from './.dependency-cruiser.mjs'

/**
 * No cycles between folders, of production code alone: tests lie beside what they test and import from everywhere.
 */
export default {
  forbidden: [
    {
      name: 'no-folder-cycles',
      comment: 'Two folders that need each other are one folder, or a third is missing.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(services|infra)/' },
      to: { circular: true },
    },
  ],
  options: { ...rules.options, exclude: { path: `${rules.options.exclude.path}|${TESTS}|^demo/` } },
}
