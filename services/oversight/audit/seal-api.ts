import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, BYTES_TYPE, file, get, notFound, TEXT_TYPE, throttled } from '#services/framework/api/route.ts'
import { z } from 'zod'

/** GET /.well-known/proofdesk-key.json: the keys that seals are signed with, oldest first. */
export const SealingKeys = namedObject('SealingKeys', {
  algorithm: z.literal('Ed25519'),
  keys: z.array(
    z.object({
      /** The first 32 digits of the SHA-256 of the key, hex. The first 16 are its id in files. */
      id: z.string(),
      /** Raw, base64. */
      publicKey: z.string(),
      from: z.iso.datetime(),
      /** Null for the current key. */
      until: z.iso.datetime().nullable(),
      endorsement: z.string().nullable(),
    }),
  ),
})

/** The calls about the seals of the log. */
export const sealRoutes = {
  logCheckpoint: get('/log/checkpoint', 'public', {
    summary: 'The signed head of the tree over all events: a C2SP tlog-checkpoint',
    answer: file(TEXT_TYPE),
    refuses: { ...notFound, ...throttled },
  }),
  logTile: get('/log/tile/*path', 'public', {
    summary:
      'Hashes of the tree, up to 256 of a level, as C2SP tlog-tiles. It has no entry bundles: what happened is not public',
    params: z.object({ path: described('As in tlog-tiles: 0/x001/234.p/5', z.string()) }),
    answer: file(BYTES_TYPE),
    refuses: throttled,
  }),
  sealingKeys: get('/.well-known/proofdesk-key.json', 'public', {
    summary: "The public keys that sign the log's seals, with their history",
    answer: answer('The keys', SealingKeys),
  }),
}
