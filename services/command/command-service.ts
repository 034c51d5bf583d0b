import type { Express } from 'express'
import { registerStaffSessionCommands } from './staff-session-commands.ts'
import { registerCertificateCommands } from './certificate-commands.ts'
import { type CommandServiceParts, createCommandDependencies, createCommandRegistrar } from './command-dependencies.ts'
import { registerPayoutCommands } from './payout-commands.ts'
import { registerProfileCommands } from './profile-commands.ts'
import { registerSecondFactorCommands } from './second-factor-commands.ts'
import { registerSessionCommands } from './session-commands.ts'
import { registerSessionEndCommands } from './session-end-commands.ts'
import { registerStaffCommands } from './staff-commands.ts'
import { registerSystemCommands } from './system-commands.ts'
import { registerUserCommands } from './user-commands.ts'

/** Registers every change: parse, load, decide, append. */
export function registerCommands(app: Express, serviceParts: CommandServiceParts): void {
  const parts = createCommandDependencies(serviceParts)
  const { accessControl, secureCookies, eventStore } = parts
  const register = createCommandRegistrar(app, { accessControl, secureCookies, end: () => eventStore.end() })
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
