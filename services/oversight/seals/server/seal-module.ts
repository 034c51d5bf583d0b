import type { OversightParts } from '#services/oversight/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { sealSubject } from '../seal-subject.ts'
import { sealQueries } from './seal-queries.ts'

export const sealModule: Module<typeof sealSubject, OversightParts> = {
  subject: sealSubject,
  commands: () => ({}),
  queries: sealQueries,
  readModels: [],
  mails: {},
  policies: {},
  erase: null,
}
