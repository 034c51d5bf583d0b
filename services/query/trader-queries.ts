import { pipeline } from 'node:stream/promises'
import { Unavailable } from '#infra/failures.ts'
import { verifyContent } from '#infra/file-store/checked.ts'
import { CERTIFICATE_TYPE } from '#services/modules/certificates/certificate-api.ts'
import { offers } from '#services/modules/offers/offer-api.ts'
import { certificateRoutes } from '#services/modules/certificates/certificate-api.ts'
import { accountRoutes } from '#services/modules/accounts/account-api.ts'
import { userRoutes } from '#services/modules/users/user-api.ts'
import { payoutRoutes } from '#services/modules/payouts/payout-api.ts'
import { offerRoutes } from '#services/modules/offers/offer-api.ts'
import { certificates } from '#services/modules/certificates/certificate-read-model.ts'
import { payouts } from '#services/modules/payouts/payout-read-model.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import { certificateId } from '#services/modules/ids.ts'
import { users as userStreams } from '#services/modules/users/user.ts'
import { HttpError, notSignedIn } from '#services/http/http-errors.ts'
import { damageOf, type FileDamage, isErased } from '#services/modules/certificates/server/certificate-files.ts'
import { certificateResponse, certificateName, ownAccountResponse, payoutResponse, userResponse } from './query-responses.ts'
import { notUpToDate, type QueryDependencies, type RegisterQuery } from './query-dependencies.ts'

/** More than any trader has: traders' own lists are not paginated. */
const ALL = 10_000

/** The reads of traders: themselves, their account, payouts and certificates, and the offers (specification §7). */
export function registerTraderQueries(read: RegisterQuery, parts: QueryDependencies): void {
  const { readModels, personKeys, fileStore, damagedFiles, config, repositories } = parts
  const usersOnRecord = repositories.of(userStreams)
  const keyOf = async (userId: string) => (await personKeys.get([userId])).get(userId)

  const own = async (userId: string) => {
    const user = await readModels.get(users, userId)
    if (user) return user
    // The session may outlive its user for a moment, but a user who is not projected yet must not appear signed out.
    const { state } = await usersOnRecord.load(userId)
    throw state.exists ? notUpToDate() : notSignedIn()
  }

  read(userRoutes.currentUser, [users], async ({ caller }) => ({ body: userResponse(await own(caller.userId)) }))

  read(accountRoutes.ownAccount, [users], async ({ caller: { userId } }) => ({
    body: ownAccountResponse(await own(userId), await keyOf(userId)),
  }))

  read(payoutRoutes.ownPayouts, [payouts], async ({ caller: { userId } }) => {
    const { documents } = await readModels.find(payouts, { where: { userId }, limit: ALL })
    const key = await keyOf(userId)
    return { body: documents.map((payout) => payoutResponse(payout, key, 'trader')) }
  })

  read(certificateRoutes.ownCertificates, [certificates], async ({ caller: { userId } }) => {
    const { documents } = await readModels.find(certificates, { where: { userId }, limit: ALL })
    const key = await keyOf(userId)
    return { body: documents.map((certificate) => certificateResponse(certificate, key)) }
  })

  read(certificateRoutes.certificateFile, [certificates], async ({ caller, params, request, response }) => {
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

  read(offerRoutes.offers, [], async () => ({ body: offers(config.purchaseUrl) }))
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
