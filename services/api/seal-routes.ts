import { z } from 'zod'
import * as audit from '#services/modules/audit/audit-api.ts'
import { described } from './openapi-component.ts'
import { answer, BYTES_TYPE, file, get, notFound, TEXT_TYPE, throttled } from './route.ts'

/** The calls about the seals of the log. */
export const sealRoutes = {
  logCheckpoint: get('/log/checkpoint', 'public', {
    summary: 'The signed head of the tree over all events: a C2SP tlog-checkpoint',
    answer: file(TEXT_TYPE),
    refuses: { ...notFound, ...throttled },
  }),
  logTile: get('/log/tile/*path', 'public', {
    summary: 'Hashes of the tree, up to 256 of a level, as C2SP tlog-tiles. It has no entry bundles: what happened is not public',
    params: z.object({ path: described('As in tlog-tiles: 0/x001/234.p/5', z.string()) }),
    answer: file(BYTES_TYPE),
    refuses: throttled,
  }),
  sealingKeys: get('/.well-known/proofdesk-key.json', 'public', {
    summary: "The public keys that sign the log's seals, with their history",
    answer: answer('The keys', audit.SealingKeys),
  }),
}
