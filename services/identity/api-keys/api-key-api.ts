import { apiKeyId } from '#services/framework/ids.ts'
import { z } from 'zod'
import { component, described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, del, get, post, pathOf } from '#services/framework/api/route.ts'
import { INVALID, namedRequest, requiredText } from '#services/framework/api/text.ts'
import { keyScopes } from './api-key-vocabulary.ts'

/** The keys of programs that call this portal. */

const KeyScope = component('KeyScope', z.enum(keyScopes, { error: INVALID }))

/** A key in the list. Never the key itself. */
export const ListedApiKey = namedObject('ListedApiKey', {
  id: z.string(),
  /** The program's name. Every event that its calls append has it. */
  name: z.string(),
  scopes: z.array(KeyScope),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  expiresAt: z.iso.datetime(),
  revokedAt: z.iso.datetime().nullable(),
})
export type ListedApiKey = z.infer<typeof ListedApiKey>

const NO_SCOPE = 'Please choose what the program may do'

/** POST /api/admin/keys */
export const NewApiKey = namedRequest('NewApiKey', {
  name: requiredText(100),
  scopes: z
    .array(KeyScope, { error: NO_SCOPE })
    .min(1, NO_SCOPE)
    .max(keyScopes.length, INVALID)
    .refine((scopes) => new Set(scopes).size === scopes.length, INVALID),
  expiresAt: described('Expiry of the key, in the future', z.iso.datetime({ offset: true, error: INVALID })),
})

/** The answer with a new key: the only one that ever shows it. */
export const IssuedApiKey = namedObject('IssuedApiKey', {
  id: z.string(),
  /** Left out where the request was sent again: it was in the first answer, and is kept nowhere. */
  key: z.string().optional(),
})

const keyPath = pathOf("The key's id", apiKeyId, 'There is no such key')

/** The calls about keys of programs. */
export const apiKeyRoutes = {
  apiKeys: get('/api/admin/keys', 'see-staff', {
    summary: 'The keys of programs, the newest first, with revoked and expired ones',
    position: 'waits',
    answer: answer('The keys', z.array(ListedApiKey)),
  }),
  makeApiKey: post('/api/admin/keys', 'manage-staff', {
    summary: 'Make a key for a program, and show it, this once',
    body: NewApiKey,
    answer: answer('The key', IssuedApiKey),
    status: 201,
  }),
  revokeApiKey: del('/api/admin/keys/:id', 'manage-staff', {
    summary: 'Revoke a key of a program for good',
    params: keyPath,
  }),
}
