import type { Labels } from '#services/framework/api/options.ts'

/** A scope is a group of calls that an API key opens. */
export const keyScopes = ['enrolments', 'feed', 'calendar'] as const
export type KeyScope = (typeof keyScopes)[number]
export const keyScopeLabels: Labels<typeof keyScopes> = {
  enrolments: 'Enrol traders',
  feed: 'Send observations',
  calendar: 'Publish news',
}
