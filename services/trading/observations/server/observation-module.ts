import type { TradingParts } from '#services/trading/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { observationSubject } from '../observation-subject.ts'
import { observationCommands } from './observation-commands.ts'
import { observationQueries } from './observation-queries.ts'

export const observationModule: Module<typeof observationSubject, TradingParts> = {
  subject: observationSubject,
  commands: observationCommands,
  queries: observationQueries,
  // Observations of a person stay with the balances, as decisions do.
  erase: null,
}
