import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { updateExisting, projection } from '#services/event-sourcing/read-models/projection.ts'
import { stamp, stampOf } from '#services/framework/decision-stamp.ts'
import { keyScopes } from './api-key-vocabulary.ts'
import { apiKeyEvents } from './api-key.ts'

const document = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  issued: stamp,
  expiresAt: z.int(),
  revokedAt: z.int().nullable(),
})

export type ApiKeyDocument = z.infer<typeof document>

/** One document per key of a program. */
export const apiKeys = projection(apiKeyEvents, {
  name: 'program-keys',
  version: 1,
  document,
  documentId: ({ stream }) => parseStreamName(stream).id,
  on: {
    ProgramKeyIssued: (_, event): ApiKeyDocument => {
      const { name, scopes, expiresAt } = event.data
      const id = parseStreamName(event.stream).id
      return { id, name, scopes, issued: stampOf(event), expiresAt, revokedAt: null }
    },
    ProgramKeyRevoked: updateExisting((key, { at }) => ({ ...key, revokedAt: at })),
  },
})
