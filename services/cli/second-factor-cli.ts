import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { endSessionsAround } from '#services/identity/authentication/ended-sessions.ts'
import {
  hasSecondFactor,
  removeSecondFactors,
  staffFactors,
  userFactors,
} from '#services/identity/second-factors/second-factor.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type CommandLine, examples } from './command.ts'

/** The command for people who lost their second factors, above all staff, whom no one in the portal can help. */
export function addSecondFactorCommands(
  program: Command,
  { withDecisions, print }: Pick<CommandLine, 'withDecisions' | 'print'>,
): void {
  program
    .command('second-factors')
    .description('remove the second factors of a person who lost them')
    .command('remove')
    .description('remove them all, and end the sessions')
    .argument('<id>', "a user's id, or of a member of staff that of the access key")
    .addHelpText('after', examples('second-factors remove 3f1c…'))
    .action(async (id: string) =>
      withDecisions(async ({ repositories, sessionStore }) => {
        const context = systemContext('command line', randomUUID())
        for (const [type, kind] of [[userFactors, 'trader'] as const, [staffFactors, 'admin'] as const]) {
          const factors = repositories.of(type)
          if (!hasSecondFactor((await factors.load(id)).state)) continue
          await endSessionsAround(sessionStore, { kind, subject: id }, () =>
            factors.decide(id, context, removeSecondFactors),
          )
          return print(`${id} signs in without a second factor now.`)
        }
        throw new Refused('not-found', `${id} has no second factor`)
      }),
    )
}
