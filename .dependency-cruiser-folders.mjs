import rules, { TESTS } from './.dependency-cruiser.mjs'

/**
 * No cycles between folders, of production code alone: tests lie beside what they test and import from everywhere.
 * Within identity some subjects still need each other: it is left out until they do not.
 */
export default {
  forbidden: [
    {
      name: 'no-folder-cycles',
      comment: 'Two folders that need each other are one folder, or a third is missing.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(services|infra)/', pathNot: '^services/identity/' },
      to: { circular: true },
    },
  ],
  options: { ...rules.options, exclude: { path: `${rules.options.exclude.path}|${TESTS}|^demo/` } },
}
