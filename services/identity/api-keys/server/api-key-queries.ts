import type { IdentityParts } from '#services/identity/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import type { Queries } from '#services/framework/module.ts'
import type { ListedProgramKey, programKeyRoutes } from '../api-key-api.ts'
import { type ProgramKeyDocument, programKeys } from '../api-key-read-model.ts'

/** Keys that are listed, revoked and expired ones included. */
const MOST_KEYS = 1_000

/** The keys of programs. */
export function programKeyQueries({ readModels }: IdentityParts['queries']): Queries<typeof programKeyRoutes> {
  return {
    programKeys: {
      needs: [programKeys],
      handle: async () => {
        const { documents } = await readModels.find(programKeys, { limit: MOST_KEYS })
        return { body: documents.toSorted((one, other) => other.issued.at - one.issued.at).map(listedKey) }
      },
    },
  }
}

function listedKey({ id, name, scopes, issued, expiresAt, revokedAt }: ProgramKeyDocument): ListedProgramKey {
  return {
    id,
    name,
    scopes,
    createdAt: isoTime(issued.at),
    createdBy: issued.name ?? '',
    expiresAt: isoTime(expiresAt),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt),
  }
}
