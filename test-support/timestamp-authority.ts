import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { listen } from './servers/ports.ts'

export type TimestampAuthority = Awaited<ReturnType<typeof openTimestampAuthority>>

/**
 * Starts a time-stamping authority made of `openssl ts` on a free port of this machine, with a certificate of its own.
 */
export async function openTimestampAuthority() {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-tsa-'))
  const file = (name: string) => join(folder, name)
  const [certificate, key] = [file('tsa.pem'), file('tsa.key')]
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key]
  const extensions = [
    '-addext',
    'extendedKeyUsage=critical,timeStamping',
    '-addext',
    'keyUsage=critical,digitalSignature',
  ]
  execFileSync(
    'openssl',
    ['req', '-x509', ...newKey, '-out', certificate, '-days', '2', '-subj', '/CN=Time of the tests', ...extensions],
    { stdio: 'ignore' },
  )
  writeFileSync(file('serial'), '01\n')
  const settings = {
    serial: file('serial'),
    signer_cert: certificate,
    signer_key: key,
    signer_digest: 'sha256',
    default_policy: '1.2.3.4.1',
    digests: 'sha256',
    ess_cert_id_alg: 'sha256',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  writeFileSync(file('tsa.cnf'), `[tsa]\ndefault_tsa = authority\n[authority]\n${lines.join('')}`)

  /** The RFC 3161 response to a request. */
  const reply = (request: Uint8Array): Buffer => {
    writeFileSync(file('request'), request)
    return execFileSync('openssl', ['ts', '-reply', '-config', file('tsa.cnf'), '-queryfile', file('request')], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  }
  let other: Uint8Array | undefined
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      response.setHeader('Content-Type', 'application/timestamp-reply')
      response.end(other ?? reply(body))
    })
  })
  const { url, close } = await listen(server)
  return {
    url: `${url}/tsa`,
    /** The certificate that readers trust, as a file. */
    certificate,
    reply,
    /** Answers every request with this from now on; undefined for honest replies. */
    answerWith: (answer: Uint8Array | undefined) => (other = answer),
    /** What openssl says of a token and a note: 'Verification: OK', or why not. */
    check(token: Uint8Array, note: string): string {
      writeFileSync(file('token'), token)
      writeFileSync(file('note'), note)
      const { stdout, stderr } = spawnSync(
        'openssl',
        ['ts', '-verify', '-in', file('token'), '-token_in', '-data', file('note'), '-CAfile', certificate],
        {
          encoding: 'utf8',
        },
      )
      return /Verification: \w+/.exec(stdout + stderr)?.[0] ?? stdout + stderr
    },
    async close(): Promise<void> {
      await close()
      rmSync(folder, { recursive: true })
    },
  }
}
