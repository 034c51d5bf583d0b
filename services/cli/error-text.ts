import { Unavailable } from '#infra/failures.ts'
import { BadConfiguration } from '#services/process/config.ts'
import { credentialRefusal } from '#services/process/credential-refusals.ts'
import { ForgedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/** Why a server could not listen, in words that name the variable to change. */
const cannotListen: Readonly<Record<string, string>> = {
  EADDRINUSE: 'PORT: this port is taken by another program; choose another one',
  EACCES: 'PORT: this program may not listen on this port; choose one above 1023',
  EADDRNOTAVAIL: 'HOST: this machine does not have this address',
  ENOTFOUND: 'HOST: there is no machine of this name',
  EAI_AGAIN: 'HOST: this name could not be looked up',
}

/** The remedies for a store that can't be used. */
const remedies: Readonly<Record<string, string>> = {
  'view store': '. Its file can be rebuilt from the log: npx proofdesk rebuild all',
  'tree store': '. Its file, tree.sqlite, can be deleted while the portal is stopped: it is made again from the log',
}

/** The troubles with a file or folder that a command was given, or needs. */
const fileTroubles: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EROFS: 'this disk can only be read',
  ENOSPC: 'the disk is full',
}

/** An error as one line that says what to do about it. */
export function errorText(error: unknown): string {
  return (foreseen(error) ?? unforeseen(error)).replaceAll(/\s*\n\s*/g, ' ')
}

function foreseen(error: unknown): string | undefined {
  if (error instanceof BadConfiguration || error instanceof Refused) return error.message
  if (error instanceof ForgedEvent)
    return `${error.message}. Its stream is blocked: see docs/operate.md, "Events that are not authentic"`
  if (error instanceof MissingEvents) return error.message
  if (error instanceof Unavailable) {
    const refusal = credentialRefusal(error)
    if (refusal !== undefined) return refusal
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
    return `${error.message}${cause}${remedies[error.part] ?? ''}`
  }
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined
  if (path === undefined && error.code in cannotListen) return `${cannotListen[error.code]} (${error.message})`
  return error.code in fileTroubles ? `${path ?? 'The file'}: ${fileTroubles[error.code]}` : undefined
}

/** Where it happened would be many lines, so it is shown on request. */
function unforeseen(error: unknown): string {
  return `This should not have happened: ${String(error)}. With LOG_LEVEL=debug the command says where`
}
