import type { ProgrammesParts } from '#services/programmes/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { offerSubject } from '../offer-subject.ts'
import { offerQueries } from './offer-queries.ts'

export const offerModule: Module<typeof offerSubject, ProgrammesParts> = {
  subject: offerSubject,
  commands: () => ({}),
  queries: offerQueries,
  readModels: [],
  mails: {},
  policies: {},
  erase: null,
}
