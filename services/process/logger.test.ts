import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Unavailable } from '#infra/failures.ts'
import { createLogger, readableLines, withoutSecrets } from './logger.ts'
import { browser } from '#test-support/http-client.ts'
import { uploadCertificate } from '#test-support/http-calls.ts'
import { ADMIN_KEY, buildProgram, startProgram, temporaryFolder } from '#test-support/program.ts'
import { registration } from '#test-support/portal.ts'
import { useMailServer } from '#test-support/servers/mail-server.ts'
import { until } from '#test-support/until.ts'

beforeAll(buildProgram, 600_000)

const Line = z.looseObject({ msg: z.string(), requestId: z.string().optional(), correlationId: z.string().optional() })

/** The lines of the log in what a program said. */
const linesOf = (output: string) =>
  output.split('\n').flatMap((line) => (line.startsWith('{') ? [Line.parse(JSON.parse(line))] : []))

describe('the log of a portal that says all it can', () => {
  it('holds nothing personal and nothing that opens anything, whatever is asked and refused', async () => {
    const dataDir = temporaryFolder()
    const portal = await startProgram({ dataDir, environment: { LOG_LEVEL: 'debug' } })
    const email = 'canary.mailbox@canary-mail.example'
    const canaries = {
      fullName: 'Canaria Fullname',
      email,
      password: 'canary password one',
      country: 'canaryland',
      city: 'Canaryville',
      street: 'Canary Street',
      houseNumber: '4711c',
    }
    const trader = browser(portal.url)
    const registered = await trader.post('/api/register', { ...canaries, privacyPolicyAgreed: true })
    expect(registered.status).toBe(201)
    const { id } = z.looseObject({ id: z.string() }).parse(registered.body)
    const admin = browser(portal.url)
    expect((await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })).status).toBe(200)
    const request = await browser(portal.url).post('/api/forgot-password', { email })
    const outbox = join(dataDir, 'outbox')
    const mail = await until(
      async () =>
        readdirSync(outbox)
          .filter((name) => name.endsWith('.eml'))
          .map((name) => readFileSync(join(outbox, name)))[0],
      'the mail',
    )
    const [, token = ''] = /token=([^\s&"<>]+)/.exec((await PostalMime.parse(mail)).text ?? '') ?? []
    expect(token.length).toBeGreaterThan(20)

    const refused = [
      await browser(portal.url).post('/api/register', { ...canaries, privacyPolicyAgreed: true }),
      await browser(portal.url).post('/api/login', { email, password: 'canary wrong password' }),
      await browser(portal.url).post('/api/admin/login', { accessKey: 'pdk_canary-wrong-key' }),
      await browser(portal.url).get('/api/user', {
        headers: { authorization: 'Bearer canary-bearer', cookie: 'session=canary-cookie' },
      }),
      await browser(portal.url).send('POST', '/api/login', `{"email":"${email}", broken`, {
        headers: { 'content-type': 'application/json' },
      }),
      await browser(portal.url).get(`/api/nothing?email=${email}&token=canary-query`),
      await browser(portal.url).send('POST', '/api/login', 'canary=form', {
        headers: { 'content-type': 'text/plain' },
      }),
      await trader.patch('/api/user', { fullName: '', city: 'Canary Empty' }),
      await trader.post('/api/user/payouts', {
        amount: '1.00',
        paymentMethod: 'crypto',
        paymentDetails: 'canary wallet',
      }),
    ]
    for (const { status } of refused) expect(status).toBeGreaterThanOrEqual(400)
    await admin.patch(`/api/admin/user/${id}/account`, {
      payoutEnabled: true,
      masterPassword: 'canary master password',
      balance: '5000.00',
      status: 'active',
    })
    expect(
      (
        await trader.post('/api/user/payouts', {
          amount: '1.00',
          paymentMethod: 'crypto',
          paymentDetails: 'canary wallet',
        })
      ).status,
    ).toBe(201)
    expect((await uploadCertificate(admin, { userId: id, name: 'Canary Certificate' })).status).toBe(201)
    expect(
      (
        await browser(portal.url).post('/api/reset-password', {
          token,
          password: 'canary password two',
          confirmPassword: 'canary password two',
        })
      ).status,
    ).toBeLessThan(500)
    await admin.get(`/api/admin/users?search=${encodeURIComponent(canaries.fullName)}`)
    await admin.delete(`/api/admin/user/${id}`)
    const requestId = request.headers.get('x-request-id')
    await until(
      async () => linesOf(portal.output()).some((line) => line.msg === 'mail sent' && line.correlationId === requestId),
      'the mail in the log',
      30_000,
    )
    const secrets = [...trader.cookies.values(), ...admin.cookies.values()].filter((value) => value.length > 20)
    expect(await portal.stop()).toBe(0)

    const output = portal.output()
    expect(linesOf(output).length).toBeGreaterThan(20)
    const found = [...Object.values(canaries), token, ADMIN_KEY, ...secrets].filter((secret) => output.includes(secret))
    expect(found).toEqual([])
    expect(output.match(/.*canar.*/gi) ?? []).toEqual([])
  })

  it('follows one request from the command to the view and the mail by its ids', async () => {
    const dataDir = temporaryFolder()
    const services = await Promise.all(
      (['command', 'query', 'worker'] as const).map((service) =>
        startProgram({ dataDir, service, environment: { LOG_LEVEL: 'debug' } }),
      ),
    )
    const [command, , worker] = services
    if (!command || !worker) throw new Error('Not all were started')
    const admin = browser(command.url)
    await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
    const created = await admin.post('/api/admin/users', { fullName: 'Some Body', email: 'some.body@example.com' })
    expect(created.status).toBe(201)
    const requestId = created.headers.get('x-request-id')
    const hasLine = (output: string, msg: string) =>
      linesOf(output).some((line) => line.msg === msg && line.requestId === requestId)
    const isCorrelated = (output: string, msg: string) =>
      linesOf(output).some((line) => line.msg === msg && line.correlationId === requestId)
    await until(async () => hasLine(command.output(), 'request'), 'the request in the log of the command')
    await until(async () => isCorrelated(command.output(), 'recorded'), 'the event in the log')
    await until(async () => isCorrelated(worker.output(), 'shown'), 'the read model in the log')
    await until(async () => isCorrelated(worker.output(), 'mail sent'), 'the mail in the log')
  })

  it('says why a mail waits: what the mail server answered, what that means, and the next try', async () => {
    const server = await useMailServer()
    const program = await startProgram({ dataDir: temporaryFolder(), environment: { SMTP_URL: server.url.href } })
    const email = 'data-552-5.2.2@mail.example'
    expect((await browser(program.url).post('/api/register', { ...registration, email })).status).toBe(201)
    const waits = () => linesOf(program.output()).find(({ msg }) => msg === 'mail waits')
    await until(async () => waits() !== undefined, 'the line about the mail')
    expect(waits()).toMatchObject({
      kind: 'UserRegistered',
      why: 'DATA: 552 5.2.2, the mailbox is full',
      attempts: 1,
      nextTry: expect.any(String),
    })
    expect(program.output()).not.toContain('mail.example')
  })
})

it('an error is logged by its message alone, without addresses and passwords', () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  const cause = Object.assign(
    new Error('connect to mongodb://canary:canary-secret@db:27017 failed for <canary@mail.example>'),
    {
      code: 'ECONNREFUSED',
      request: { body: 'canary' },
      response: { headers: { cookie: 'canary' } },
    },
  )
  log.warn(
    {
      err: new Unavailable('view store', { cause }),
      email: 'canary',
      user: { fullName: 'canary', password: 'canary' },
    },
    'token=canary pdk_canary',
  )
  const text = lines.join('')
  expect(text).not.toContain('canary')
  const { err } = z.looseObject({ err: z.looseObject({ cause: z.looseObject({}) }) }).parse(JSON.parse(text))
  expect(err).toMatchObject({
    type: 'Unavailable',
    message: expect.stringContaining('The view store is not available'),
    cause: { code: 'ECONNREFUSED' },
  })
})

it('a code of a shared certificate is in no line, however its page is asked for', () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  for (const path of ['/c/canarycanarycanary_-22', '/C/canary%2D/receipt', '/c/canary/'])
    for (const level of ['info', 'error'] as const)
      log[level]({ method: 'GET', path, status: 503, err: new Error('away') }, 'request')
  expect(lines.join('')).not.toContain('canary')
  expect(lines.join('')).toContain('"path":"/c/…/')
})

it('a line of any content is redacted in linear time, for clients choose what is in it', () => {
  for (const repeated of ['a', 'a.', '-', 'a@', 'a@a.', 'a:', '://', 'a://a', 'token=', 'pdk_', '"path":"/c/']) {
    const line = repeated.repeat(100_000 / repeated.length)
    const before = process.cpuUsage()
    withoutSecrets(line)
    // In the other case it takes minutes of the processor.
    expect(process.cpuUsage(before).user, repeated).toBeLessThan(5_000_000)
  }
})

it('is readable where people read it, and as free of secrets', () => {
  let text = ''
  const log = createLogger(
    'info',
    readableLines((lines) => (text += lines)),
  )
  log.info({ place: 'the worker', count: 3 }, 'The projector is at work')
  log.warn('Mails wait')
  log.error({ err: new Error('failed for <canary@mail.example>') }, 'A request failed')
  const [info = '', warning = '', error = '', ...trace] = text.split('\n')
  expect(info).toMatch(/^\d\d:\d\d:\d\d {2}The projector is at work {2}place=the worker {2}count=3$/)
  expect(warning).toMatch(/^\S+ {2}WARNING Mails wait$/)
  expect(error).toMatch(/^\S+ {2}ERROR A request failed$/)
  expect(trace.join('\n')).toMatch(/^ {4}Error: failed for <…>\n {4} +at /)
  expect(text).not.toContain('canary')
})
