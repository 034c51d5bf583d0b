import type { Labels } from '#services/framework/api/options.ts'

/** What a key of a program opens. */
export const keyScopes = ['enrolments', 'feed'] as const
export type KeyScope = (typeof keyScopes)[number]
export const keyScopeLabels: Labels<typeof keyScopes> = {
  enrolments: 'Enrol traders',
  feed: 'Send observations',
}
