import type { IdentityParts } from '#services/identity/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { apiKeys } from '../api-key-read-model.ts'
import { apiKeySubject } from '../api-key-subject.ts'
import { apiKeyCommands } from './api-key-commands.ts'
import { apiKeyQueries } from './api-key-queries.ts'

export const apiKeyModule: Module<typeof apiKeySubject, IdentityParts> = {
  subject: apiKeySubject,
  commands: apiKeyCommands,
  queries: apiKeyQueries,
  readModels: [apiKeys],
  // Nothing in it is about a user.
  erase: null,
}
