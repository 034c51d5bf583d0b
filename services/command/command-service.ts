import type { Express } from 'express'
import { registerStaffSessionCommands } from '#services/modules/sign-in/server/staff-session-commands.ts'
import { registerCertificateCommands } from '#services/modules/certificates/server/certificate-commands.ts'
import { type CommandServiceParts, createCommandDependencies, createCommandRegistrar } from './command-dependencies.ts'
import { registerPayoutCommands } from '#services/modules/payouts/server/payout-commands.ts'
import { registerProfileCommands } from '#services/modules/users/server/profile-commands.ts'
import { registerSecondFactorCommands } from '#services/modules/second-factors/server/second-factor-commands.ts'
import { registerSessionCommands } from '#services/modules/sign-in/server/session-commands.ts'
import { registerSessionEndCommands } from '#services/modules/sign-in/server/session-end-commands.ts'
import { registerStaffCommands } from '#services/modules/staff/server/staff-commands.ts'
import { registerSystemCommands } from '#services/modules/installation/server/installation-commands.ts'
import { registerUserCommands } from '#services/modules/users/server/user-commands.ts'

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
