import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isWanted } from './images.ts'
import { startServer } from './server-process.ts'

export type S3Server = Awaited<ReturnType<typeof startS3>>

/** The credentials. A secret contains characters that need percent-encoding in an address. */
export const s3Credentials = { files: 'files:secret/with+signs=', seals: 'seals:another secret' }

/** Whether a real image replaces it. An image accepts only the credentials for files. */
export const isS3InContainer = isWanted('minio', 'versitygw')

/** Starts an empty S3 server that checks signatures on a free port. */
export async function startS3() {
  const script = fileURLToPath(new URL('s3rver.child.mjs', import.meta.url))
  const [accessKey = '', secretKey = ''] = s3Credentials.files.split(':')
  const server = await startServer({
    command: process.execPath,
    argumentsFor: (port, folder) => [script, String(port), folder, ...Object.values(s3Credentials)],
    images: {
      minio: {
        inside: 9000,
        environment: { MINIO_ROOT_USER: accessKey, MINIO_ROOT_PASSWORD: secretKey },
        commandFor: () => ['server', '/data'],
        ready: { path: '/minio/health/ready' },
      },
      versitygw: {
        inside: 7070,
        environment: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
        entrypoint: ['sh', '-c', 'mkdir -p /data && exec versitygw --port :7070 --health /health posix /data'],
        ready: { path: '/health' },
      },
    },
  })
  const seals = isS3InContainer ? s3Credentials.files : s3Credentials.seals
  return {
    ...server,
    /** The folder of its objects, one folder for each bucket; unused by an image. */
    buckets: join(server.folder, 'buckets'),
    /** The address of a bucket as an operator writes it, perhaps through a relay. */
    urlOf(bucket: string, { port = server.port, credentials = s3Credentials.files } = {}): string {
      const [name = '', secret = ''] = (credentials === s3Credentials.seals ? seals : credentials)
        .split(':')
        .map(encodeURIComponent)
      return `http://${name}:${secret}@127.0.0.1:${port}/${bucket}`
    },
  }
}
