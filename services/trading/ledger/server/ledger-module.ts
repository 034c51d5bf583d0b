import type { TradingParts } from '#services/trading/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { ledgerSubject } from '../ledger-subject.ts'
import { ledgerCommands } from './ledger-commands.ts'
import { ledgerQueries } from './ledger-queries.ts'

export const ledgerModule: Module<typeof ledgerSubject, TradingParts> = {
  subject: ledgerSubject,
  commands: ledgerCommands,
  queries: ledgerQueries,
  erase: null,
}
