import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { pdf, read, uploadCertificate } from '#test-support/http-calls.ts'
import { browser } from '#test-support/http-client.ts'
import { newEmail, registration } from '#test-support/portal.ts'
import { ADMIN_KEY, buildProgram, type Program, startProgram, temporaryFolder } from '#test-support/program.ts'
import { askRaw, openConnection, type RawConnection, requestText } from '#test-support/raw-connection.ts'
import { until } from '#test-support/until.ts'
import { Certificate, LARGEST_CERTIFICATE } from '#services/trading/certificates/certificate-api.ts'
import { User } from '#services/identity/users/user-api.ts'

/** The real program, and clients that break off, do not read, or use up what it has. */

beforeAll(buildProgram, 600_000)

/** The largest script of the web app. */
async function largestAsset({ url }: Program): Promise<string> {
  const page = (await askRaw(url, 'GET', '/auth')).body
  const paths = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? '')
  const sizes = await Promise.all(
    paths.map(async (path) => ({ path, size: (await askRaw(url, 'GET', path)).body.length })),
  )
  const [largest] = sizes.sort((a, b) => b.size - a.size)
  if (!largest) throw new Error(`The page names no script: ${page}`)
  return largest.path
}

const openFiles = ({ pid }: Program) => readdirSync(`/proc/${pid}/fd`).length

describe('the program', () => {
  it('survives the limit of open files and recovers', async () => {
    const program = await startProgram({ dataDir: temporaryFolder(), before: 'ulimit -n 330' })
    const asset = await largestAsset(program)
    const crowd: RawConnection[] = []
    for (let n = 0; n < 400; n++) crowd.push(await openConnection(program.url))
    for (const { send } of crowd) send(requestText('GET', asset))
    // Those beyond what it holds are closed, the others are served.
    await until(
      async () => crowd.every(({ socket, received }) => socket.closed || received().length > 0),
      'each to be answered or closed',
    )
    expect(crowd.some(({ received }) => received().startsWith('HTTP/1.1 200'))).toBe(true)
    expect(crowd.some(({ socket, received }) => socket.closed && received() === '')).toBe(true)
    await Promise.all(crowd.map(({ cut }) => cut()))
    await until(
      async () => (await askRaw(program.url, 'GET', '/healthz').catch(() => undefined))?.status === 200,
      'it to answer',
    )
    expect(await program.stop()).toBe(0)
  })

  it('closes every file when downloads break off', async () => {
    const program = await startProgram({ dataDir: temporaryFolder() })
    const asset = await largestAsset(program)
    await until(async () => (await askRaw(program.url, 'GET', '/readyz')).status === 200, 'it to be ready')
    const before = openFiles(program)
    for (const ahead of [1, 1, 1, 10, 10, 200, 700]) {
      const connection = await openConnection(program.url, { reads: false })
      connection.send(requestText('GET', asset).repeat(ahead))
      await askRaw(program.url, 'GET', '/healthz')
      await connection.cut()
    }
    await until(async () => openFiles(program) <= before, `at most ${before} open files`)
    expect(await program.stop()).toBe(0)
  })

  it('logs no error for a client that leaves, only JSON lines', async () => {
    const program = await startProgram({ dataDir: temporaryFolder(), environment: { LOG_LEVEL: 'debug' } })
    const [admin, trader] = [browser(program.url), browser(program.url)]
    await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
    const { id } = User.parse((await trader.post('/api/register', { ...registration, email: newEmail() })).body)
    const { fileUrl } = read(
      Certificate,
      await uploadCertificate(admin, { userId: id, file: pdf(LARGEST_CERTIFICATE) }),
    )
    const Cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

    // In the middle of an upload.
    const upload = await openConnection(program.url)
    const type = 'multipart/form-data; boundary=x'
    upload.send(
      requestText('POST', '/api/admin/certificates', {
        Cookie,
        'Content-Type': type,
        'Content-Length': '100000',
        Expect: '100-continue',
      }),
    )
    await until(async () => upload.received().includes('100 Continue'), 'the upload to begin')
    upload.send(
      '--x\r\nContent-Disposition: form-data; name="certificateFile"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n%PDF-',
    )
    await upload.cut()
    // In the middle of a JSON body.
    const change = await openConnection(program.url)
    change.send(
      requestText('POST', '/api/login', {
        'Content-Type': 'application/json',
        'Content-Length': '1000',
        Expect: '100-continue',
      }),
    )
    await until(async () => change.received().includes('100 Continue'), 'the change to begin')
    change.send('{"email":')
    await change.cut()
    // In the middle of a download: more than the system's buffers take in, so that the file is under way for sure.
    const download = await openConnection(program.url, { reads: false })
    download.send(requestText('GET', fileUrl, { Cookie }).repeat(8))
    await once(download.socket, 'readable')
    await download.cut()
    await until(async () => program.output().match(/client disconnected/g)?.length === 3, 'three clients to be missed')
    expect(await program.stop()).toBe(0)

    const lines = program
      .output()
      .split('\n')
      .filter(
        (line) =>
          line !== '' && !/is ready at http|^Mails are kept as files|^Seals are kept|SMTP_URL is not set/.test(line),
      )
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([])
    expect(lines.filter((line) => /"level":"?(40|50|60|warn|error|fatal)/.test(line))).toEqual([])
  })
})
