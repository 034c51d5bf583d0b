import { sealingKeys } from '#services/proof/account-export.ts'
import type { sealRoutes } from '../seal-api.ts'
import { clientNetwork } from '#services/framework/http/client-network.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { sendBytes } from '#services/framework/http/memory-file.ts'
import { keyIdOf } from '#services/proof/signed-texts.ts'
import { isTilePath } from '#services/proof/published-tree.ts'
import type { OversightParts } from '#services/oversight/parts.ts'
import type { Queries } from '#services/framework/module.ts'
import type { Request } from 'express'

const YEAR_SECONDS = 31_536_000
const TEXT = 'text/plain; charset=utf-8'

/** The tree over the log for anyone, as C2SP tlog-tiles, and the keys that sign it. */
export function sealQueries({
  publishedTree,
  attestations,
  throttle,
  repositories,
}: OversightParts['queries']): Queries<typeof sealRoutes> {
  const admit = (request: Request) => throttle.attempt(['logNetwork', clientNetwork(request)])

  return {
    logCheckpoint: {
      needs: [],
      handle: async ({ request, response }) => {
        await admit(request)
        const note = await publishedTree.checkpoint()
        if (note === undefined) throw new HttpError(404, { message: 'Nothing was sealed yet' })
        response.setHeader('Cache-Control', 'public, max-age=5')
        sendBytes(response, TEXT, Buffer.from(await attestations.withCosignatures(note)))
        return undefined
      },
    },

    logTile: {
      needs: [],
      handle: async ({ params, request, response }) => {
        await admit(request)
        const path = `tile/${params.path}`
        const tile = isTilePath(path) ? await publishedTree.file(path) : undefined
        if (!tile) throw new HttpError(404, { message: 'Tile not found' })
        response.setHeader('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`)
        sendBytes(response, 'application/octet-stream', tile)
        return undefined
      },
    },

    sealingKeys: {
      needs: [],
      handle: async ({ response }) => {
        response.setHeader('Cache-Control', 'public, max-age=300')
        const keys = await sealingKeys(repositories)
        const since = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
        const published = keys.map(async ({ publicKey, since: from, endorsement }, n) => ({
          id: await keyIdOf(publicKey),
          publicKey,
          from: new Date(from).toISOString(),
          until: since(keys[n + 1]?.since),
          endorsement,
        }))
        return { body: { algorithm: 'Ed25519', keys: await Promise.all(published) } }
      },
    },
  }
}
