import type { Express } from 'express'
import type { Gate } from '../http/access.ts'
import { registerAdminSessionCalls } from './admin-session.ts'
import { registerCertificateCalls } from './certificates.ts'
import { type CommandParts, registrar } from './parts.ts'
import { registerPayoutCalls } from './payouts.ts'
import { registerProfileCalls } from './profile.ts'
import { registerSessionCalls } from './session.ts'
import { registerSystemCalls } from './system.ts'
import { registerUserCalls } from './users.ts'

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
