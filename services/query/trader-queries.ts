import { pipeline } from 'node:stream/promises'
import { Unavailable } from '#infra/failures.ts'
import { verifyContent } from '#infra/file-store/checked.ts'
import { CERTIFICATE_TYPE, offers, routes } from '#services/api/index.ts'
import { certificateId } from '#services/domain/ids.ts'
import { HttpError } from '#services/http/http-errors.ts'
import { certificates, payouts, users } from '#services/projections/index.ts'
import { damageOf, type FileDamage, isErased } from '#services/proof/certificate-files.ts'
import { certificateResponse, certificateName, ownAccountResponse, payoutResponse, userResponse } from './query-responses.ts'
import { ownUserReader } from './own-user.ts'
import type { QueryDependencies, RegisterQuery } from './query-dependencies.ts'

/** More than any trader has: traders' own lists are not paginated. */
const ALL = 10_000

/** The reads of traders: themselves, their account, payouts and certificates, and the offers (specification §7). */
export function registerTraderQueries(read: RegisterQuery, parts: QueryDependencies): void {
  const { readModels, personKeys, fileStore, damagedFiles, config, repositories } = parts
  const keyOf = async (userId: string) => (await personKeys.get([userId])).get(userId)

  const own = ownUserReader(parts)

  read(routes.currentUser, [users], async ({ caller }) => ({ body: userResponse(await own(caller.userId)) }))

  read(routes.ownAccount, [users], async ({ caller: { userId } }) => ({
    body: ownAccountResponse(await own(userId), await keyOf(userId)),
  }))

  read(routes.ownPayouts, [payouts], async ({ caller: { userId } }) => {
    const { documents } = await readModels.find(payouts, { where: { userId }, limit: ALL })
    const key = await keyOf(userId)
    return { body: documents.map((payout) => payoutResponse(payout, key, 'trader')) }
  })

  read(routes.ownCertificates, [certificates], async ({ caller: { userId } }) => {
    const { documents } = await readModels.find(certificates, { where: { userId }, limit: ALL })
    const key = await keyOf(userId)
    return { body: documents.map((certificate) => certificateResponse(certificate, key)) }
  })

  read(routes.certificateFile, [certificates], async ({ caller, params, request, response }) => {
    const certificate = await readModels.get(certificates, params.id)
    const mayRead = caller.kind === 'admin' || caller.userId === certificate?.userId
    const notFound = new HttpError(404, { message: 'Certificate not found' })
    // Another trader's certificate is answered like one that doesn't exist.
    if (!certificate || !mayRead) throw notFound
    const name = certificateName(certificate, await keyOf(certificate.userId))
    // A whole reading before the first byte is sent: an altered file is not served, not even in part.
    const damage = await damageOf(certificate, fileStore)
    if (damage) {
      if (await isErased({ certificateId: certificateId.parse(certificate.id) }, repositories)) throw notFound
      damagedFiles.report(certificate, damage, request.requestId)
      throw damaged(damage, request.requestId)
    }
    damagedFiles.isUnchanged(certificate.id)
    // Open the file last: from here on it is read or closed at once.
    const stored = await fileStore.get(certificate.file)
    if (!stored) throw notFound
    response.setHeader('Content-Type', CERTIFICATE_TYPE)
    response.setHeader('Content-Length', stored.size)
    response.setHeader('Content-Disposition', contentDisposition(`${name}.pdf`))
    // Scripts in a PDF must not run on this site.
    response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
    // Once more, in case it is replaced in this moment: then the download breaks.
    await pipeline(verifyContent(stored.content, certificate, alteredMeanwhile), response)
    return undefined
  })

  read(routes.offers, [], async () => ({ body: offers(config.purchaseUrl) }))
}

function damaged(damage: FileDamage, requestId: string): HttpError {
  const what =
    damage === 'missing' ? 'The file of this certificate is missing' : 'The file of this certificate is not the one that was issued, so it is not shown'
  return new HttpError(500, { message: `${what}. The firm has been alerted. If you contact it, name this number: ${requestId}` })
}

const alteredMeanwhile = (cause: unknown) => new Unavailable('file store', { cause })

/** Inline, with a plain name for old clients and the full one for the others (RFC 6266). */
function contentDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\/%]/g, '_')
  return `inline; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`
}
