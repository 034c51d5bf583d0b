import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { startDouble } from '#test-support/eventstoredb-double/double.ts'
import { startMailServer } from './mail-server.ts'
import { startFerretDb, whyNoFerretDb } from './ferretdb.ts'
import { portOf } from './ports.ts'
import { whyNoRedis, startRedis } from './redis.ts'
import { whyNotInstalled } from './server-suite.ts'
import { s3Credentials, startS3 } from './s3.ts'

const missing = whyNoFerretDb ?? whyNoRedis ?? whyNotInstalled('openssl', 'version')

describe.skipIf(missing)(`servers that are spoken to in secret${missing === undefined ? '' : ` (${missing})`}`, () => {
  /** The addresses of all servers, each behind TLS. */
  let addresses: Readonly<Record<string, string>>
  let certificate: { readonly path: string; readonly cert: Buffer; readonly key: Buffer }
  const closing: (() => unknown)[] = []

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'proofdesk-tls-'))
    closing.push(() => rmSync(folder, { recursive: true }))
    const [path, keyPath] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    await promisify(execFile)('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      keyPath,
      '-out',
      path,
      ...subject,
    ])
    certificate = { path, cert: readFileSync(path), key: readFileSync(keyPath) }

    const [eventStore, mongodb, redis, s3, smtp] = await Promise.all([
      startDouble(),
      startFerretDb(),
      startRedis(),
      startS3(),
      startMailServer(),
    ])
    for (const server of [eventStore, mongodb, redis, s3]) closing.push(() => server.close())
    closing.push(smtp.disconnect)
    const [name = '', secret = ''] = s3Credentials.files.split(':').map(encodeURIComponent)
    addresses = {
      eventStore: `esdb://localhost:${await encrypted(Number(new URL(eventStore.url).port))}?tls=true`,
      mongodb: `mongodb://localhost:${await encrypted(mongodb.port)}/proofdesk?tls=true`,
      redis: `rediss://localhost:${await encrypted(redis.port)}`,
      s3: `https://${name}:${secret}@localhost:${await encrypted(s3.port)}/files`,
      smtp: `smtps://localhost:${await encrypted(Number(smtp.url.port))}`,
    }
    return async () => {
      for (const close of closing.reverse()) await close()
    }
  }, 240_000)

  /** Takes TLS on a free port, and passes what it carries to another. */
  async function encrypted(port: number): Promise<number> {
    const server = createServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, (near) => {
      const far = connect(port, '127.0.0.1')
      near.pipe(far).pipe(near)
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const)
        one.on('error', () => other.destroy()).on('close', () => other.destroy())
    })
    server.on('tlsClientError', () => {})
    await once(server.listen(0, '127.0.0.1'), 'listening')
    closing.push(() => server.close())
    return portOf(server)
  }

  /** What a process hears of each server, perhaps one that trusts this certificate besides the known ones. */
  async function outcomes(trusted?: string): Promise<unknown> {
    const child = fileURLToPath(new URL('encrypted.child.ts', import.meta.url))
    // EventStoreDB's client wants it in the address.
    const urls = {
      ...addresses,
      eventStore: `${addresses['eventStore']}${trusted === undefined ? '' : `&tlsCaFile=${trusted}`}`,
    }
    const environment = trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: trusted }
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', child, JSON.stringify(urls)], {
      env: { ...process.env, ...environment },
    })
    return JSON.parse(stdout)
  }

  it('all are reached where their certificate is trusted', async () => {
    const ready = { eventStore: 'ready', mongodb: 'ready', redis: 'ready', s3: 'ready', smtp: 'ready' }
    expect(await outcomes(certificate.path)).toEqual(ready)
  }, 60_000)

  it('none gets data where its certificate is not trusted', async () => {
    const refused = expect.stringMatching(/not available.*self[-_]signed/i)
    expect(await outcomes()).toEqual({
      eventStore: refused,
      mongodb: refused,
      redis: refused,
      s3: refused,
      smtp: refused,
    })
  }, 60_000)
})
