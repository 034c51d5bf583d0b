import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Response } from 'express'
import type { FileStore } from '#infra/file-store/file-store.ts'
import { decryptIfAuthentic, encrypt } from '#services/event-sourcing/crypto-shredding/cipher.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { receiveUpload } from '#services/framework/http/receive-upload.ts'
import type { UserId } from '#services/framework/ids.ts'
import type { CaseFile } from '#services/trading/stream/case.ts'
import { LARGEST_CASE_FILE } from '#services/trading/stream/case-vocabulary.ts'
import { CASE_FILE_FIELD } from '../case-api.ts'
import { saysAnother, shownName, typeOfContent } from './case-file-type.ts'

/** The files of cases, encrypted with the key of their person. */

const TOO_LARGE = 'File size must be at most 5 MB'
const NO_TYPE = 'Only PDF, PNG, JPEG, HTML and CSV files are accepted'

export const receiveCaseFile = receiveUpload(
  CASE_FILE_FIELD,
  // One byte more than allowed, to distinguish a file of exactly the limit from a larger one.
  { fileSize: LARGEST_CASE_FILE + 1, fields: 5, fieldSize: 1_000, parts: 10, tooLarge: TOO_LARGE },
  'file',
)

/** What the person sent. */
export type SentFile = Pick<Express.Multer.File, 'buffer' | 'originalname' | 'mimetype' | 'size'>

/** A file that may be kept. @throws {HttpError} 400, 413 */
export function checkedCaseFile(file: SentFile | undefined): Pick<CaseFile, 'name' | 'type' | 'size' | 'sha256'> {
  const refuse = (message: string, status: 400 | 413 = 400) =>
    new HttpError(status, fieldFailure(CASE_FILE_FIELD, message))
  if (!file) throw refuse('Please choose a file')
  if (file.size > LARGEST_CASE_FILE) throw refuse(TOO_LARGE, 413)
  const type = typeOfContent(file.buffer)
  // Multer reads names as latin1.
  const name = shownName(Buffer.from(file.originalname, 'latin1').toString('utf8'))
  if (!type || saysAnother(type, name, file.mimetype)) throw refuse(NO_TYPE)
  return { name, type, size: file.size, sha256: createHash('sha256').update(file.buffer).digest('hex') }
}

/** Where the files of a person's cases are kept. */
export function caseFilesPrefix(owner: UserId): string {
  return `cases/${owner}/`
}

/** Keeps a file under a key of the store. */
export async function keepCaseFile(
  fileStore: Pick<FileStore, 'put'>,
  personKeys: Pick<PersonKeys, 'require'>,
  { owner, key, content }: { readonly owner: UserId; readonly key: string; readonly content: Uint8Array },
): Promise<void> {
  const secret = await personKeys.require(owner)
  if (secret === 'destroyed') throw new HttpError(404, { message: 'Case not found' })
  await fileStore.put(key, encrypt(secret, content, key), 'application/octet-stream')
}

/** Sends a file as an attachment. @throws {HttpError} 404 for one that is gone, 500 for one that is not what was sent */
export async function sendCaseFile(
  response: Response,
  { name, type, size, sha256, file }: CaseFile,
  owner: UserId,
  {
    fileStore,
    personKeys,
  }: { readonly fileStore: Pick<FileStore, 'get'>; readonly personKeys: Pick<PersonKeys, 'get'> },
): Promise<void> {
  const notFound = new HttpError(404, { message: 'File not found' })
  const secret = (await personKeys.get([owner])).get(owner)
  const stored = secret && secret !== 'destroyed' ? await fileStore.get(file) : undefined
  if (!stored || !secret || secret === 'destroyed') throw notFound
  const content = decryptIfAuthentic(secret, await buffer(stored.content), file)
  if (content?.length !== size || createHash('sha256').update(content).digest('hex') !== sha256)
    throw new Error(`The file ${file} is not what was sent`)
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Length', size)
  response.setHeader('Content-Disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
  response.end(content)
}
