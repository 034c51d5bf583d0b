import type { OperationsParts } from '#services/operations/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { mailSubject } from '../mail-subject.ts'

export const mailModule: Module<typeof mailSubject, OperationsParts> = {
  subject: mailSubject,
  commands: () => ({}),
  queries: () => ({}),
  readModels: [],
  mails: {},
  policies: {},
  erase: async (owner, _context, { mails }) => {
    await mails.forget(owner)
    return undefined
  },
}
