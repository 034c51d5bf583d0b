import { newId } from '#services/identity/authentication/random-id.ts'
import { userStreams, assertUserExists } from '#services/identity/users/user.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { createHash, randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import {
  type certificateRoutes,
  type CertificateShare,
  CERTIFICATE_FIELD,
  CERTIFICATE_TYPE,
  CertificateUpload,
  certificateFileMessages,
  LARGEST_CERTIFICATE,
} from '../certificate-api.ts'
import { fieldFailure, validationFailure } from '#services/framework/api/error-schemas.ts'
import {
  endSharing,
  issueCertificate,
  nextCertificateId,
  revokeCertificate,
  shareCertificate,
} from '#services/trading/stream/certificate.ts'
import { accountOf, type CertificateId, ownerOf, type UserId, userId } from '#services/framework/ids.ts'
import { accountOfUser } from '#services/trading/accounts/server/account-of-user.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { receiveUpload } from '#services/framework/http/receive-upload.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { userFilesPrefix } from './certificate-files.ts'
import { certificateFields } from './certificate-responses.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Commands } from '#services/framework/module.ts'

const receiveFile = receiveUpload(
  CERTIFICATE_FIELD,
  {
    // One byte more than allowed, to distinguish a file of exactly the limit from a larger one.
    ...{ fileSize: LARGEST_CERTIFICATE + 1, fields: 20, fieldSize: 10_000, parts: 30 },
    tooLarge: certificateFileMessages.tooLarge,
  },
  'certificate',
)

/** Bytes of the code of a link: 128 bits, which no one guesses. */
const CODE_BYTES = 16

/**
 * Issuing certificates, an upload by an administrator (specification §5, §9); revoking them; and the links that traders
 * share.
 */
export function certificateCommands({ repositories, fileStore, secrets, throttle, now }: TradingParts['commands']) {
  const users = repositories.of(userStreams)
  const accounts = repositories.of(accountStreams)
  return {
    shareCertificate: async ({ caller, params, body, context }) => {
      const id = ownCertificateId(params.id, caller.userId)
      const tried = await throttle.attempt(['sharePerson', caller.userId])
      const code = randomBytes(CODE_BYTES).toString('base64url')
      const link = { code, codeHash: secrets.shareCodeHash(code) }
      const { state, events, position } = await accounts.decide(accountOf(id), context, (account) =>
        shareCertificate(account, id, body.showsName, link),
      )
      if (events.length === 0) await tried.refund()
      const share = state.certificates.get(id)?.share
      if (!share) throw new Error(`Certificate ${id} is not shared on record`)
      const answer: CertificateShare = { path: `/c/${share.code}`, showsName: share.showsName }
      return { body: answer, position }
    },

    endCertificateSharing: async ({ caller, params, context }) => {
      const id = ownCertificateId(params.id, caller.userId)
      const tried = await throttle.attempt(['sharePerson', caller.userId])
      const { events, position } = await accounts.decide(accountOf(id), context, (account) => endSharing(account, id))
      if (events.length === 0) await tried.refund()
      return done(position)
    },

    revokeCertificate: async ({ params, body, context }) => {
      const { id } = params
      const { position } = await accounts.decide(accountOf(id), context, (account) =>
        revokeCertificate(account, id, body.reason ?? ''),
      )
      return done(position)
    },

    issueCertificate: {
      receive: receiveCertificate,
      handle: async ({ body, context, request }) => {
        const pdf = checkedPdf(request.file)
        const { data: owner } = userId.safeParse(body.userId)
        if (!owner) throw new HttpError(404, { message: 'User not found' })
        assertUserExists((await users.load(owner)).state)
        const accountId = await accountOfUser(repositories, owner, body.accountId)
        const file = `${userFilesPrefix(owner)}${newId(context, 'file')}.pdf`
        // Another file under the same key would take the place of the first.
        await accounts.isRepeated(accountId, context)
        await fileStore.put(file, pdf, CERTIFICATE_TYPE)
        const sha256 = createHash('sha256').update(pdf).digest('hex')
        const issuedAt = body.issuedAt ?? new Date(now()).toISOString().slice(0, 10)
        const issue = { name: body.name, issuedAt, file, size: pdf.length, sha256 }
        const issued = accounts.decide(accountId, context, (account) =>
          issueCertificate(account, { certificateId: nextCertificateId(account), ...issue }),
        )
        const { events, position } = await issued.catch(async (error: unknown) => {
          // The user was deleted meanwhile, perhaps before the file was stored, so remove the file.
          if (error instanceof Refused && error.kind === 'not-found') await fileStore.removeAll(userFilesPrefix(owner))
          throw error
        })
        const [event] = events
        if (event?.type !== 'CertificateIssued') throw new Error('The certificate is not on record')
        const certificate = { ...event.data, id: event.data.certificateId, uploadedAt: event.at, revokedAt: null }
        return { status: 201, body: certificateFields(certificate, null), position }
      },
    },
  } satisfies Partial<Commands<typeof certificateRoutes>>
}

/** Another trader's certificate is answered like one that does not exist. */
function ownCertificateId(id: CertificateId, owner: UserId): CertificateId {
  if (ownerOf(accountOf(id)) !== owner) throw new HttpError(404, { message: 'Certificate not found' })
  return id
}

/** Receives the multipart body; reports errors of fields and file together. */
async function receiveCertificate(request: Request, response: Response): Promise<void> {
  await receiveFile(request, response)
  const { error } = CertificateUpload.safeParse(request.body ?? {})
  if (!error || request.file) return
  const failure = validationFailure(error)
  throw new HttpError(400, {
    ...failure,
    errors: { ...failure.errors, [CERTIFICATE_FIELD]: certificateFileMessages.required },
  })
}

/** Whether a file is a PDF by its name, its declared type and its first bytes. */
function checkedPdf(file: Express.Multer.File | undefined): Buffer {
  if (!file) throw new HttpError(400, fieldFailure(CERTIFICATE_FIELD, certificateFileMessages.required))
  if (file.size > LARGEST_CERTIFICATE)
    throw new HttpError(413, fieldFailure(CERTIFICATE_FIELD, certificateFileMessages.tooLarge))
  const isPdf =
    file.mimetype === CERTIFICATE_TYPE &&
    file.originalname.toLowerCase().endsWith('.pdf') &&
    file.buffer.subarray(0, 5).toString('latin1') === '%PDF-'
  if (!isPdf) throw new HttpError(400, fieldFailure(CERTIFICATE_FIELD, certificateFileMessages.noPdf))
  return file.buffer
}
