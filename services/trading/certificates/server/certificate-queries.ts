import { ALL_OF_PERSON } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { pipeline } from 'node:stream/promises'
import { Unavailable } from '#infra/failures.ts'
import { verifyContent } from '#infra/file-store/checked.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { accountOf, ownerOf } from '#services/framework/ids.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Queries } from '#services/framework/module.ts'
import { accountIn } from '#services/trading/accounts/server/account-of-document.ts'
import { ownUser } from '#services/trading/accounts/server/own-user.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { CERTIFICATE_TYPE, type certificateRoutes } from '../certificate-api.ts'
import { certificates } from '../certificate-read-model.ts'
import { damageOf, type FileDamage, isErased } from './certificate-files.ts'
import { certificateResponse } from './certificate-responses.ts'
import { sharedCertificates } from './shared-certificate.ts'

/** Certificates of a trader, their files, and the public page of a shared one. */
export function certificateQueries(parts: TradingParts['queries']): Queries<typeof certificateRoutes> {
  const { readModels, personKeys, fileStore, damagedFiles, repositories } = parts
  return {
    ...sharedCertificates(parts),
    ownCertificates: {
      needs: [certificates, users],
      handle: async ({ caller: { userId }, query }) => {
        const accountId = query.account && accountIn(await ownUser(parts, userId), query.account).id
        const where = { userId, ...(accountId !== undefined && { accountId }) }
        const { documents } = await readModels.find(certificates, { where, limit: ALL_OF_PERSON })
        const key = await personKeys.keyOf(userId)
        return { body: documents.map((certificate) => certificateResponse(certificate, key)) }
      },
    },

    certificateFile: {
      needs: [],
      handle: async ({ caller, params, request, response }) => {
        const notFound = new HttpError(404, { message: 'Certificate not found' })
        const { id } = params
        // Another trader's certificate is answered like one that doesn't exist.
        if (caller.kind === 'trader' && caller.userId !== ownerOf(accountOf(id))) throw notFound
        // The log says which file was issued: who writes to a read model must not exchange the file.
        const { account, certificates } = (await repositories.of(accountStreams).load(accountOf(id))).state
        const certificate = account.erased ? undefined : certificates.get(id)
        if (!certificate) throw notFound
        // A whole reading before the first byte is sent: an altered file is not served, not even in part.
        const damage = await damageOf(certificate, fileStore)
        if (damage) {
          if (await isErased({ certificateId: id }, repositories)) throw notFound
          damagedFiles.report(certificate, damage, request.requestId)
          throw damaged(damage, request.requestId)
        }
        damagedFiles.isUnchanged(certificate.id)
        // Open the file last: from here on it is read or closed at once.
        const stored = await fileStore.get(certificate.file)
        if (!stored) throw notFound
        response.setHeader('Content-Type', CERTIFICATE_TYPE)
        response.setHeader('Content-Length', stored.size)
        response.setHeader('Content-Disposition', contentDisposition(`${certificate.name}.pdf`))
        // Scripts in a PDF must not run on this site.
        response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
        // Once more, in case it is replaced in this moment: then the download breaks.
        await pipeline(verifyContent(stored.content, certificate, alteredMeanwhile), response)
        return undefined
      },
    },

    userCertificates: {
      needs: [certificates, users],
      handle: async ({ params: { id } }) => {
        if (!(await readModels.get(users, id))) throw new HttpError(404, { message: 'User not found' })
        const { documents } = await readModels.find(certificates, { where: { userId: id }, limit: ALL_OF_PERSON })
        const key = await personKeys.keyOf(id)
        // Whether and how a trader shares is in the history; the link itself is the trader's.
        return { body: documents.map((certificate) => ({ ...certificateResponse(certificate, key), share: null })) }
      },
    },
  }
}

function damaged(damage: FileDamage, requestId: string): HttpError {
  const what =
    damage === 'missing'
      ? 'The file of this certificate is missing'
      : 'The file of this certificate is not the one that was issued, so it is not shown'
  return new HttpError(500, {
    message: `${what}. The firm has been alerted. If you contact it, quote this number: ${requestId}`,
  })
}

const alteredMeanwhile = (cause: unknown) => new Unavailable('file store', { cause })

/** Inline, with a plain name for old clients and the full one for the others (RFC 6266). */
function contentDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\/%]/g, '_')
  return `inline; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`
}
