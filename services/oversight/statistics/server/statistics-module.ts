import type { OversightParts } from '#services/oversight/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { statisticsSubject } from '../statistics-subject.ts'
import { firmDays } from '../firm-day-read-model.ts'
import { statisticsQueries } from './statistics-queries.ts'

export const statisticsModule: Module<typeof statisticsSubject, OversightParts> = {
  subject: statisticsSubject,
  queries: statisticsQueries,
  readModels: [firmDays],
  erase: null,
}
