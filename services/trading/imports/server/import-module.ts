import type { TradingParts } from '#services/trading/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { importDocuments } from '../import-read-model.ts'
import { importSubject } from '../import-subject.ts'
import { importCommands } from './import-commands.ts'
import { importQueries } from './import-queries.ts'

export const importModule: Module<typeof importSubject, TradingParts> = {
  subject: importSubject,
  commands: importCommands,
  queries: importQueries,
  readModels: [importDocuments],
  // Only its ids of accounts are about a person, and they stay as decisions do.
  erase: null,
}
