import type { IdentityParts } from '#services/identity/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { staffSubject } from '../staff-subject.ts'
import { memberPolicies } from './member-policies.ts'
import { adminKeys } from '../member-read-model.ts'
import { staffCommands } from './staff-commands.ts'
import { staffQueries } from './staff-queries.ts'

export const staffModule: Module<typeof staffSubject, IdentityParts> = {
  subject: staffSubject,
  commands: staffCommands,
  queries: staffQueries,
  readModels: [adminKeys],
  policies: memberPolicies,
  erase: null,
}
