import type { IdentityParts } from '#services/identity/parts.ts'
import type { Module, Policies } from '#services/framework/module.ts'
import { userSubject } from '../user-subject.ts'
import { type UserEvent, userStreams } from '../user.ts'
import { syncSuspension, userCommands } from './user-commands.ts'
import { profileCommands } from './profile-commands.ts'
import { userMails } from './user-mails.ts'

const suspend: Policies<UserEvent, IdentityParts>['UserBanned'] &
  Policies<UserEvent, IdentityParts>['UserUnbanned'] = async ({ personId }, _context, parts) => {
  if (personId) await syncSuspension(personId, parts)
}

export const userModule: Module<typeof userSubject, IdentityParts> = {
  subject: userSubject,
  commands: (parts) => ({ ...profileCommands(parts), ...userCommands(parts) }),
  mails: userMails,
  policies: {
    async ProfileChanged({ personId, data, position }, context, { addresses }) {
      const { emailClaim, from } = data
      if (personId && emailClaim && from.email !== undefined)
        await addresses.releasePrevious(personId, from.email, context, position)
    },
    UserBanned: suspend,
    UserUnbanned: suspend,
  },
  erase: async (owner, context, { repositories, addresses }) => {
    const { state, position } = await repositories.of(userStreams).load(owner)
    if (state.emailClaim) await addresses.release(owner, state.emailClaim, context, position)
    return undefined
  },
}
