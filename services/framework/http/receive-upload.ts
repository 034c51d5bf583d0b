import type { Request, Response } from 'express'
import multer from 'multer'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { HttpError } from './http-errors.ts'

/** The limits of a multipart body, and the message for a file that is too large. */
interface UploadLimits {
  /** In bytes, of the file. */
  readonly fileSize: number
  readonly fields: number
  readonly fieldSize: number
  readonly parts: number
  readonly tooLarge: string
}

/** Receives a multipart body with one file, in memory. @throws {HttpError} 413, 415 */
export function receiveUpload(field: string, { tooLarge, ...limits }: UploadLimits, file = 'file') {
  const upload = multer({ storage: multer.memoryStorage(), limits: { files: 1, ...limits } }).single(field)
  return async (request: Request, response: Response): Promise<void> => {
    if ((request.get('content-encoding') ?? 'identity') !== 'identity')
      throw new HttpError(415, { message: 'The upload has an encoding that is not supported' })
    if (!request.is('multipart/form-data'))
      throw new HttpError(415, { message: `Please send the ${file} as multipart/form-data` })
    await new Promise<void>((resolve, reject) => {
      upload(request, response, (error: unknown) => {
        if (error instanceof multer.MulterError && error.code === 'LIMIT_FILE_SIZE')
          reject(new HttpError(413, fieldFailure(field, tooLarge)))
        else if (error) reject(error)
        else resolve()
      })
    })
  }
}
