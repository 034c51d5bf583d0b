import type { Express } from 'express'
import type { Gate } from '../http/access-control.ts'
import { registerAdminSessionCalls } from './staff-session-commands.ts'
import { registerCertificateCalls } from './certificate-commands.ts'
import { type CommandParts, registrar } from './command-dependencies.ts'
import { registerPayoutCalls } from './payout-commands.ts'
import { registerProfileCalls } from './profile-commands.ts'
import { registerSessionCalls } from './session-commands.ts'
import { registerSystemCalls } from './system-commands.ts'
import { registerUserCalls } from './user-commands.ts'

/** Puts every call that changes something on the app: parse, load, decide, append, and nothing else. */
export function registerCommands(app: Express, gate: Gate, parts: CommandParts): void {
  const register = registrar(app, { gate, secureCookies: parts.secureCookies, end: () => parts.eventStore.end() })
  registerSessionCalls(register, parts)
  registerProfileCalls(register, parts)
  registerPayoutCalls(register, parts)
  registerUserCalls(register, parts)
  registerCertificateCalls(register, parts)
  registerAdminSessionCalls(register, parts)
  registerSystemCalls(register, parts)
}
