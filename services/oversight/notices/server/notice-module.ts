import type { OversightParts } from '#services/oversight/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { noticeSubject } from '../notice-subject.ts'
import { noticeCommands } from './notice-commands.ts'
import { noticeQueries } from './notice-queries.ts'

export const noticeModule: Module<typeof noticeSubject, OversightParts> = {
  subject: noticeSubject,
  commands: noticeCommands,
  queries: noticeQueries,
  erase: null,
}
