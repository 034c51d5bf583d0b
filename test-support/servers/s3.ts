import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isWanted } from './images.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** An S3 server that checks signatures, as a process of its own. */
export interface S3Server extends ServerProcess {
  /** The folder of its objects, one folder for each bucket; unused by an image. */
  readonly buckets: string
  /** The address of a bucket as an operator writes it, perhaps through a relay. */
  urlOf(bucket: string, options?: { readonly port?: number; readonly credentials?: string }): string
}

/** The credentials. A secret contains characters that need percent-encoding in an address. */
export const s3Credentials = { files: 'files:secret/with+signs=', seals: 'seals:another secret' }

/** Whether a real image replaces it. An image accepts only the credentials for files. */
export const isS3InContainer = isWanted('minio') || isWanted('versitygw')

/** Starts an empty server on a free port. */
export async function startS3(): Promise<S3Server> {
  const server = await (isS3InContainer ? startImage() : startProgram())
  const seals = isS3InContainer ? s3Credentials.files : s3Credentials.seals
  return {
    ...server,
    buckets: join(server.folder, 'buckets'),
    urlOf(bucket, { port = server.port, credentials = s3Credentials.files } = {}) {
      const [name = '', secret = ''] = (credentials === s3Credentials.seals ? seals : credentials).split(':').map(encodeURIComponent)
      return `http://${name}:${secret}@127.0.0.1:${port}/${bucket}`
    },
  }
}

async function startImage(): Promise<ServerProcess> {
  const [accessKey = '', secretKey = ''] = s3Credentials.files.split(':')
  return (await import('./containers.ts')).startS3Container(accessKey, secretKey)
}

function startProgram(): Promise<ServerProcess> {
  const script = fileURLToPath(new URL('s3rver.child.mjs', import.meta.url))
  return startServerProcess({
    command: process.execPath,
    argumentsFor: (port, folder) => [script, String(port), folder, ...Object.values(s3Credentials)],
  })
}
