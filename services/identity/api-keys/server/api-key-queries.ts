import type { IdentityParts } from '#services/identity/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import type { Queries } from '#services/framework/module.ts'
import type { ListedApiKey, apiKeyRoutes } from '../api-key-api.ts'
import { type ApiKeyDocument, apiKeys } from '../api-key-read-model.ts'

/** Keys that are listed, revoked and expired ones included. */
const MOST_KEYS = 1_000

/** The keys of programs. */
export function apiKeyQueries({ readModels }: IdentityParts['queries']): Queries<typeof apiKeyRoutes> {
  return {
    apiKeys: {
      needs: [apiKeys],
      handle: async () => {
        const { documents } = await readModels.find(apiKeys, { limit: MOST_KEYS })
        return { body: documents.toSorted((one, other) => other.issued.at - one.issued.at).map(listedKey) }
      },
    },
  }
}

function listedKey({ id, name, scopes, issued, expiresAt, revokedAt }: ApiKeyDocument): ListedApiKey {
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
