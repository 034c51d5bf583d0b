import type { IdentityParts } from '#services/identity/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { secondFactorSubject } from '../second-factor-subject.ts'
import { removeSecondFactors, userFactors } from '../second-factor.ts'
import { secondFactorCommands } from './second-factor-commands.ts'
import { secondFactorMails } from './second-factor-mails.ts'
import { secondFactorQueries } from './second-factor-queries.ts'

export const secondFactorModule: Module<typeof secondFactorSubject, IdentityParts> = {
  subject: secondFactorSubject,
  commands: secondFactorCommands,
  queries: secondFactorQueries,
  mails: secondFactorMails,
  erase: async (owner, context, { repositories }) =>
    (await repositories.of(userFactors).decide(owner, context, removeSecondFactors)).position,
}
