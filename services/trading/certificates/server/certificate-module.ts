import type { TradingParts } from '#services/trading/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { certificateSubject } from '../certificate-subject.ts'
import { certificates } from '../certificate-read-model.ts'
import { certificateCommands } from './certificate-commands.ts'
import { userFilesPrefix } from './certificate-files.ts'
import { certificateMails } from './certificate-mails.ts'
import { certificateQueries } from './certificate-queries.ts'

export const certificateModule: Module<typeof certificateSubject, TradingParts> = {
  subject: certificateSubject,
  commands: certificateCommands,
  queries: certificateQueries,
  readModels: [certificates],
  mails: certificateMails,
  erase: async (owner, _context, { files }) => {
    await files.removeAll(userFilesPrefix(owner))
    return undefined
  },
}
