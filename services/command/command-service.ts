import type { Express } from 'express'
import type { AccessControl } from '../http/access-control.ts'
import { clientNetwork } from '../http/client-network.ts'
import { limits } from '../http/limits.ts'
import { createInFlightLimit } from '../http/throttle.ts'
import { registerStaffSessionCommands } from './staff-session-commands.ts'
import { registerCertificateCommands } from './certificate-commands.ts'
import { aggregatesOf, type CommandDependencies, createCommandRegistrar, type PasswordWork } from './command-dependencies.ts'
import { registerPayoutCommands } from './payout-commands.ts'
import { registerProfileCommands } from './profile-commands.ts'
import { registerSecondFactorCommands } from './second-factor-commands.ts'
import { registerSessionCommands } from './session-commands.ts'
import { registerSessionEndCommands } from './session-end-commands.ts'
import { registerStaffCommands } from './staff-commands.ts'
import { createStepUp } from './step-up.ts'
import { registerSystemCommands } from './system-commands.ts'
import { registerUserCommands } from './user-commands.ts'

/** Registers every change: parse, load, decide, append. */
export function registerCommands(
  app: Express,
  accessControl: AccessControl,
  dependencies: Omit<CommandDependencies, keyof ReturnType<typeof aggregatesOf> | 'stepUp' | 'passwordWork'>,
): void {
  const inFlight = createInFlightLimit(limits.passwords.perNetwork)
  const passwordWork: PasswordWork = (request, work) => inFlight(clientNetwork(request), work)
  const parts = { ...dependencies, ...aggregatesOf(dependencies.repositories), stepUp: createStepUp(dependencies), passwordWork }
  const register = createCommandRegistrar(app, { accessControl, secureCookies: parts.secureCookies, end: () => parts.eventStore.end() })
  registerSessionCommands(register, parts)
  registerSecondFactorCommands(register, parts)
  registerSessionEndCommands(register, parts)
  registerProfileCommands(register, parts)
  registerPayoutCommands(register, parts)
  registerUserCommands(register, parts)
  registerCertificateCommands(register, parts)
  registerStaffSessionCommands(register, parts)
  registerStaffCommands(register, parts)
  registerSystemCommands(register, parts)
}
