import rules, { TESTS } from './.dependency-cruiser.mjs'

/**
 * No cycles between folders, of production code alone: tests lie beside what they test and import from everywhere. The
 * demo is above all services, and its command loads it only when it runs. The modules and authentication are left out:
 * the tool counts the server half of a subject as part of its folder, and accounts are still part of the document of
 * their users.
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
  options: {
    ...rules.options,
    exclude: {
      path: `${rules.options.exclude.path}|${TESTS}|^demo/|^services/(modules|authentication)/|^services/[a-z-]+\\.ts$`,
    },
  },
}
