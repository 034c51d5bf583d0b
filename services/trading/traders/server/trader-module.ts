import type { Module } from '#services/framework/module.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { firm } from '../firm-read-model.ts'
import { traderSubject } from '../trader-subject.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { traderQueries } from './trader-queries.ts'

export const traderModule: Module<typeof traderSubject, TradingParts> = {
  subject: traderSubject,
  queries: traderQueries,
  readModels: [users, firm],
  // The events of users and accounts remove what the read models hold.
  erase: null,
}
