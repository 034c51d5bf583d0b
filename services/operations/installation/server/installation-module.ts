import type { OperationsParts } from '#services/operations/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { installationSubject } from '../installation-subject.ts'
import { systemCommands } from './installation-commands.ts'
import { systemQueries } from './installation-queries.ts'

export const installationModule: Module<typeof installationSubject, OperationsParts> = {
  subject: installationSubject,
  commands: systemCommands,
  queries: systemQueries,
  erase: async (owner, _context, { mails }) => {
    await mails.forget(owner)
    return undefined
  },
}
