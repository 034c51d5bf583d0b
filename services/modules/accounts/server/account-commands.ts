import { done } from '#services/authentication/serve-route.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-number.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { accounts as accountStreams } from '#services/modules/account-aggregate.ts'
import type { CommandDependencies } from '#services/modules/dependencies.ts'
import type { Command, Commands } from '#services/modules/module.ts'
import type { UserId } from '#services/modules/ids.ts'
import { existingUserId } from '#services/modules/users/server/user-commands.ts'
import type { AccountChanges as AccountChangesBody, accountRoutes } from '../account-api.ts'
import { type AccountChanges, changeAccount, showMasterPassword } from '../account.ts'
import { checkEvidence, type EventReference } from '../decision-reason.ts'

/** Administrators' changes to trading accounts (specification §6, §7). */
export function accountCommands({
  repositories,
  stepUp,
  throttle,
  now,
}: CommandDependencies): Commands<typeof accountRoutes> {
  const accounts = repositories.of(accountStreams)

  /** The event of an account at this log position; only the log knows its revision. */
  const eventAt = async (id: UserId, number: number): Promise<EventReference> => {
    for await (const event of accounts.readEvents(id))
      if (eventNumber(event) === number) return { revision: event.revision, number }
    throw new Refused('not-found', `This account has no event ${number}`, 'corrects')
  }

  const change: Command<ChangeRoute> = async ({ params, body, context }) => {
    const id = existingUserId(params.id)
    const { reason, evidence, corrects: number } = body
    if (evidence) checkEvidence(evidence, now())
    const why = { reason, evidence, corrects: number ? await eventAt(id, number) : null }
    const { position } = await accounts.decide(id, context, (account) => changeAccount(account, changesOf(body), why))
    return done(position)
  }

  return {
    setAccount: change,
    changeAccount: change,

    showMasterPassword: async ({ params, context, caller, request }) => {
      const id = existingUserId(params.id)
      await stepUp.assertConfirmed({ caller, request })
      await throttle.attempt(['showPasswordMember', caller.id])
      // Recorded before it is answered.
      const { state, position } = await accounts.decide(id, context, showMasterPassword)
      return { body: { masterPassword: state.masterPassword ?? '' }, position }
    },
  }
}

type ChangeRoute = (typeof accountRoutes)['setAccount' | 'changeAccount']

function changesOf({
  reason: _reason,
  evidence: _evidence,
  corrects: _corrects,
  ...changes
}: AccountChangesBody): AccountChanges {
  return changes
}
